import type { StoredItem } from '../../data/item-store.ts'
import type { DmFields, PostFields, XMedia } from './model.ts'
import { type Presenter, presentMedia, presentPlace, presentPost, presentUser, referencesOf } from './present.ts'
import { type Missing, missing } from './problems.ts'

interface Expanded {
  includes: Record<string, unknown[]>
  errors: Missing[]
}

const fieldsOf = (item: StoredItem): PostFields => item.fields as PostFields

/** The objects that the requested expansions refer to, without duplicates, and an error for each one not found. */
export function expandPosts(presenter: Presenter, posts: readonly StoredItem[]): Expanded {
  const { expansions } = presenter.selection
  const { data } = presenter
  const errors: Missing[] = []
  const referenced = new Map<string, StoredItem>()
  const wantsReferences = [...expansions].some((name) => name.startsWith('referenced_tweets.id'))
  if (wantsReferences)
    for (const { id } of posts.flatMap((post) => referencesOf(fieldsOf(post)) ?? [])) {
      const post = data.post(id)
      if (post) referenced.set(id, post)
      else errors.push(missing('tweet', 'referenced_tweets.id', id))
    }
  if (expansions.has('edit_history_tweet_ids'))
    for (const id of posts.flatMap((post) => fieldsOf(post).history)) {
      const version = data.post(id)
      if (version) referenced.set(id, version)
    }
  const others = [...referenced.values()]
  const userIds = [
    ...(expansions.has('author_id') ? posts.map((post) => fieldsOf(post).authorId) : []),
    ...(expansions.has('referenced_tweets.id.author_id') ? others.map((post) => fieldsOf(post).authorId) : []),
    ...(expansions.has('in_reply_to_user_id') ? posts.flatMap((post) => fieldsOf(post).replyTo?.userId ?? []) : []),
    ...(expansions.has('entities.mentions.username') ? posts.flatMap((post) => fieldsOf(post).mentions) : []),
  ]
  const withMedia = [
    ...(expansions.has('attachments.media_keys') ? posts : []),
    ...(expansions.has('referenced_tweets.id.attachments.media_keys') ? others : []),
  ]
  const media = new Map<string, XMedia>(
    withMedia.flatMap((post) => fieldsOf(post).media.map((one) => [one.key, one] as const)),
  )
  const placeIds = expansions.has('geo.place_id') ? posts.flatMap((post) => fieldsOf(post).placeId ?? []) : []
  return {
    includes: filled({
      media: [...media.values()].map((one) => presentMedia(presenter, one)),
      users: usersOf(presenter, userIds),
      tweets: others.map((post) => presentPost(presenter, post)),
      places: [...new Set(placeIds)].flatMap((id) => presentPlace(presenter, id) ?? []),
    }),
    errors: [...new Map(errors.map((error) => [error.value, error])).values()],
  }
}

export function expandDms(presenter: Presenter, events: readonly StoredItem[]): Expanded {
  const { expansions } = presenter.selection
  const all = events.map(({ fields }) => fields as DmFields)
  const userIds = [
    ...(expansions.has('sender_id') ? all.flatMap(({ senderId }) => senderId ?? []) : []),
    ...(expansions.has('participant_ids') ? all.flatMap(({ participantIds }) => participantIds ?? []) : []),
  ]
  const postIds = expansions.has('referenced_tweets.id') ? all.flatMap(({ postId }) => postId ?? []) : []
  const found = [...new Set(postIds)].map((id) => ({ id, post: presenter.data.post(id) }))
  return {
    includes: filled({
      users: usersOf(presenter, userIds),
      tweets: found.flatMap(({ post }) => (post ? [presentPost(presenter, post)] : [])),
    }),
    errors: found.filter(({ post }) => !post).map(({ id }) => missing('tweet', 'referenced_tweets.id', id)),
  }
}

const usersOf = (presenter: Presenter, ids: readonly string[]) =>
  [...new Set(ids)].flatMap((id) => {
    const user = presenter.data.user(id)
    return user ? [presentUser(presenter, user)] : []
  })

const filled = (groups: Record<string, unknown[]>): Record<string, unknown[]> =>
  Object.fromEntries(Object.entries(groups).filter(([, list]) => list.length > 0))
