import type { DmItem, PostItem } from './model.ts'
import { presentMedia, presentPlace, presentPost, presentUser, referencesOf, type View } from './present.ts'
import { type Missing, missing } from './problems.ts'

export interface Expanded {
  includes: Record<string, unknown[]>
  errors: Missing[]
}

/** The objects that the requested expansions refer to, without duplicates, and an error for each one not found. */
export function expandPosts(view: View, posts: readonly PostItem[]): Expanded {
  const { data } = view
  const wants = (name: string) => view.selection.expansions.has(name)
  const errors: Missing[] = []
  const referenced = new Map<string, PostItem>()
  if ([...view.selection.expansions].some((name) => name.startsWith('referenced_tweets.id')))
    for (const { id } of posts.flatMap(({ fields }) => referencesOf(fields) ?? [])) {
      const post = data.post(id)
      if (post) referenced.set(id, post)
      else errors.push(missing('tweet', 'referenced_tweets.id', id))
    }
  if (wants('edit_history_tweet_ids'))
    for (const id of posts.flatMap(({ fields }) => fields.history)) {
      const version = data.post(id)
      if (version) referenced.set(id, version)
    }
  const others = [...referenced.values()]
  const userIds = [
    ...(wants('author_id') ? posts.map(({ fields }) => fields.authorId) : []),
    ...(wants('referenced_tweets.id.author_id') ? others.map(({ fields }) => fields.authorId) : []),
    ...(wants('in_reply_to_user_id') ? posts.flatMap(({ fields }) => fields.replyTo?.userId ?? []) : []),
    ...(wants('entities.mentions.username') ? posts.flatMap(({ fields }) => fields.mentions) : []),
  ]
  const withMedia = [
    ...(wants('attachments.media_keys') ? posts : []),
    ...(wants('referenced_tweets.id.attachments.media_keys') ? others : []),
  ]
  const media = new Map(withMedia.flatMap(({ fields }) => fields.media.map((one) => [one.key, one])))
  const placeIds = wants('geo.place_id') ? posts.flatMap(({ fields }) => fields.placeId ?? []) : []
  return {
    includes: filled({
      media: [...media.values()].map((one) => presentMedia(view, one)),
      users: usersOf(view, userIds),
      tweets: others.map((post) => presentPost(view, post)),
      places: [...new Set(placeIds)].flatMap((id) => presentPlace(view, id) ?? []),
    }),
    errors: [...new Map(errors.map((error) => [error.value, error])).values()],
  }
}

export function expandDms(view: View, events: readonly DmItem[]): Expanded {
  const wants = (name: string) => view.selection.expansions.has(name)
  const all = events.map(({ fields }) => fields)
  const userIds = [
    ...(wants('sender_id') ? all.flatMap(({ senderId }) => senderId ?? []) : []),
    ...(wants('participant_ids') ? all.flatMap(({ participantIds }) => participantIds ?? []) : []),
  ]
  const postIds = wants('referenced_tweets.id') ? all.flatMap(({ postId }) => postId ?? []) : []
  const found = [...new Set(postIds)].map((id) => ({ id, post: view.data.post(id) }))
  return {
    includes: filled({
      users: usersOf(view, userIds),
      tweets: found.flatMap(({ post }) => (post ? [presentPost(view, post)] : [])),
    }),
    errors: found.filter(({ post }) => !post).map(({ id }) => missing('tweet', 'referenced_tweets.id', id)),
  }
}

const usersOf = (view: View, ids: readonly string[]) =>
  [...new Set(ids)].flatMap((id) => {
    const user = view.data.user(id)
    return user ? [presentUser(view, user)] : []
  })

const filled = (groups: Record<string, unknown[]>): Record<string, unknown[]> =>
  Object.fromEntries(Object.entries(groups).filter(([, list]) => list.length > 0))
