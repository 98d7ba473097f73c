import { Refusal } from '../../../base/reply.ts'
import { isShown, type StoredItem } from '../../../data/item-store.ts'
import type { ApiParts, Call, XApi } from '../endpoint.ts'
import { compareIds } from '../ids.ts'
import { blankPost, type PostFields, type PostItem, type XUser } from '../model.ts'
import { checkedId, idParam, listParam, timeParam } from '../params.ts'
import { presentPost } from '../present.ts'
import { invalidParameter, missing } from '../problems.ts'
import { respond } from '../respond.ts'

const paging = ['max_results', 'pagination_token']
const windowing = [...paging, 'since_id', 'until_id', 'start_time', 'end_time']

/** The person in the path. An unknown id is an error inside a response of status 200. */
export function namedUser(call: Call): XUser {
  const id = checkedId('id', call.params['id'] ?? '')
  const user = call.data.user(id)
  if (!user) throw new Refusal(respond(call.selection, { errors: [missing('user', 'id', id)] }))
  return user
}

function onlySelf({ params, viewer }: Call): XUser {
  const id = checkedId('id', params['id'] ?? '')
  if (id === viewer.id) return viewer
  const message = `The \`id\` query parameter value [${id}] must be the same as the authenticating user [${viewer.id}]`
  throw invalidParameter('id', id, message)
}

export function timelineResources({ data }: ApiParts, { list }: XApi) {
  /** The posts within the request's ids and times, without the excluded kinds, newest first. */
  function inWindow({ request }: Call, items: PostItem[]): PostItem[] {
    const [sinceId, untilId] = [idParam(request, 'since_id'), idParam(request, 'until_id')]
    const startMs = timeParam(request, 'start_time') ?? 0
    const endMs = timeParam(request, 'end_time') ?? Number.POSITIVE_INFINITY
    const exclude = listParam(request, 'exclude', ['replies', 'retweets'])
    return items
      .filter(({ id, createdAtMs, fields: { replyTo, repostOf } }) => {
        if (exclude.includes('replies') && replyTo) return false
        if (exclude.includes('retweets') && repostOf !== undefined) return false
        if (sinceId !== undefined && compareIds(id, sinceId) <= 0) return false
        if (untilId !== undefined && compareIds(id, untilId) >= 0) return false
        return createdAtMs >= startMs && createdAtMs < endMs
      })
      .sort((a, b) => compareIds(b.id, a.id))
  }

  /** Likes and bookmarks are lists of post ids in the order of their creation. */
  function savedPosts({ username }: XUser, kind: 'likes' | 'bookmarks'): PostItem[] {
    const notes = data[kind].list(username)
    const hidden = new Set(notes.filter((note) => !isShown(note)).map(({ id }) => id))
    return notes.map(({ id }) => ({ ...(data.post(id) ?? { ...tombstone, id }), hidden: hidden.has(id) }))
  }

  const posts = { of: 'tweet', charged: 'posts' } as const
  const timeline = { ...posts, isTimeline: true, counts: [5, 100, 10], params: windowing } as const
  return {
    'GET /2/users/:id/tweets': list(
      { ...timeline, limit: 900, params: [...windowing, 'exclude'] },
      (call) => inWindow(call, [...data.posts.list(namedUser(call).username)]),
      presentPost,
    ),
    'GET /2/users/:id/mentions': list(
      { ...timeline, limit: 300 },
      (call) => {
        const { id } = namedUser(call)
        const all = data.users.flatMap(({ username }) => data.posts.list(username))
        return inWindow(
          call,
          all.filter(({ fields }) => fields.mentions.includes(id)),
        )
      },
      presentPost,
    ),
    'GET /2/users/:id/timelines/reverse_chronological': list(
      { ...timeline, limit: 180, counts: [1, 100, 100], params: [...windowing, 'exclude'] },
      (call) => {
        const self = onlySelf(call)
        const followed = data.following(self.id)
        const seen = followed.length === 0 ? [] : [self, ...followed]
        return inWindow(
          call,
          seen.flatMap(({ username }) => data.posts.list(username)),
        )
      },
      presentPost,
    ),
    'GET /2/users/:id/liked_tweets': list(
      { ...posts, limit: 75, scopes: ['like.read'], counts: [5, 100, 100], params: paging },
      (call) => savedPosts(namedUser(call), 'likes'),
      presentPost,
    ),
    'GET /2/users/:id/bookmarks': list(
      { ...posts, limit: 180, scopes: ['bookmark.read'], params: paging },
      (call) => savedPosts(onlySelf(call), 'bookmarks'),
      presentPost,
    ),
  }
}

const tombstone: StoredItem<PostFields> = {
  id: '',
  createdAtMs: 0,
  updatedAtMs: 0,
  deletedAtMs: 0,
  fields: blankPost('', ''),
}
