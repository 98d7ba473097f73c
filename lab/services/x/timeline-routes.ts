import type { Reply } from '../../base/reply.ts'
import type { Routes } from '../../base/router.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import type { ApiCall, ApiParts, EndpointFactory } from './endpoint.ts'
import { expandPosts } from './expand.ts'
import { fieldParams, readFieldSelection } from './field-selection.ts'
import { compareIds } from './ids.ts'
import type { PostFields } from './model.ts'
import { pageOf } from './page.ts'
import { checkedId, checkNames, countParam, idParam, listParam, timeParam } from './params.ts'
import { type Presenter, presentPost } from './present.ts'
import { invalidParameter, missing } from './problems.ts'
import { respond } from './respond.ts'

const paging = ['max_results', 'pagination_token']
const windowing = ['since_id', 'until_id', 'start_time', 'end_time']
const fieldsOf = (item: StoredItem): PostFields => item.fields as PostFields

export function timelineRoutes({ context, data }: ApiParts, endpoint: EndpointFactory): Routes {
  /** Filter by the request's ids, times and excluded kinds of posts. */
  function inWindow({ request }: ApiCall): (item: StoredItem) => boolean {
    const [sinceId, untilId] = [idParam(request, 'since_id'), idParam(request, 'until_id')]
    const [startMs, endMs] = [
      timeParam(request, 'start_time') ?? 0,
      timeParam(request, 'end_time') ?? Number.POSITIVE_INFINITY,
    ]
    const exclude = listParam(request, 'exclude', ['replies', 'retweets'])
    return (item) => {
      const { replyTo, repostOf } = fieldsOf(item)
      if (exclude.includes('replies') && replyTo) return false
      if (exclude.includes('retweets') && repostOf !== undefined) return false
      if (sinceId !== undefined && compareIds(item.id, sinceId) <= 0) return false
      if (untilId !== undefined && compareIds(item.id, untilId) >= 0) return false
      return item.createdAtMs >= startMs && item.createdAtMs < endMs
    }
  }

  interface Listing {
    items: readonly StoredItem[]
    minCount: number
    defaultCount: number
    isTimeline: boolean
    visible?: (item: StoredItem) => boolean
  }

  function listing(call: ApiCall, { items, minCount, defaultCount, isTimeline, visible = isShown }: Listing): Reply {
    const selection = readFieldSelection(call.request, 'tweet')
    const presenter: Presenter = { url: context.url(), data, viewerId: call.viewer.id, selection }
    const count = countParam(call.request, minCount, 100, defaultCount)
    const { shown, tokens } = pageOf(call.request, items, visible, count)
    const ids = shown.map(({ id }) => id).sort(compareIds)
    const edges = isTimeline && ids.length > 0 ? { newest_id: ids.at(-1), oldest_id: ids[0] } : {}
    return respond(selection, {
      data: shown.map((item) => presentPost(presenter, item)),
      ...expandPosts(presenter, shown),
      meta: { ...edges, result_count: shown.length, ...tokens },
    })
  }

  const timeline = (call: ApiCall, items: StoredItem[], minCount: number, defaultCount: number): Reply => {
    const matches = inWindow(call)
    const sorted = items.filter(matches).sort((a, b) => compareIds(b.id, a.id))
    return listing(call, { items: sorted, minCount, defaultCount, isTimeline: true })
  }

  /** Resolves the person in the path. An unknown id is an error inside a response of status 200. */
  function withUser(call: ApiCall, respondFor: (username: string) => Reply): Reply {
    const id = checkedId('id', call.params['id'] ?? '')
    const user = data.user(id)
    if (user) return respondFor(user.username)
    return respond(readFieldSelection(call.request, 'tweet'), { errors: [missing('user', 'id', id)] })
  }

  function onlySelf({ params, viewer }: ApiCall): void {
    const id = checkedId('id', params['id'] ?? '')
    if (id !== viewer.id)
      throw invalidParameter(
        'id',
        id,
        `The \`id\` query parameter value [${id}] must be the same as the authenticating user [${viewer.id}]`,
      )
  }

  /** Likes and bookmarks are lists of post ids in the order of their creation. */
  function savedPosts(call: ApiCall, username: string, kind: 'likes' | 'bookmarks', minCount: number): Reply {
    const notes = data.store.list(username, kind)
    const hidden = new Set(notes.filter((note) => !isShown(note)).map(({ id }) => id))
    const items = notes.map(({ id }): StoredItem => data.post(id) ?? { ...tombstone, id })
    const visible = (item: StoredItem) => !hidden.has(item.id) && item !== undefined && item.deletedAtMs === undefined
    return listing(call, { items, minCount, defaultCount: 100, isTimeline: false, visible })
  }

  const base = ['tweet.read', 'users.read']
  const own = { endpoint: 'GET /2/users/:id/tweets', limit: 900, charged: 'posts' as const, scopes: base }
  const mentions = { endpoint: 'GET /2/users/:id/mentions', limit: 300, charged: 'posts' as const, scopes: base }
  const home = {
    endpoint: 'GET /2/users/:id/timelines/reverse_chronological',
    limit: 180,
    charged: 'posts' as const,
    scopes: base,
  }
  const likes = {
    endpoint: 'GET /2/users/:id/liked_tweets',
    limit: 75,
    charged: 'posts' as const,
    scopes: [...base, 'like.read'],
  }
  const bookmarks = {
    endpoint: 'GET /2/users/:id/bookmarks',
    limit: 180,
    charged: 'posts' as const,
    scopes: [...base, 'bookmark.read'],
  }

  return {
    [own.endpoint]: endpoint(own, (call) => {
      checkNames(call.request, [...paging, ...windowing, 'exclude', ...fieldParams])
      return withUser(call, (username) => timeline(call, [...data.store.list(username, 'posts')], 5, 10))
    }),
    [mentions.endpoint]: endpoint(mentions, (call) => {
      checkNames(call.request, [...paging, ...windowing, ...fieldParams])
      return withUser(call, () => {
        const id = call.params['id'] ?? ''
        const mentioning = data.users.flatMap(({ username }) =>
          data.store.list(username, 'posts').filter((item) => fieldsOf(item).mentions.includes(id)),
        )
        return timeline(call, mentioning, 5, 10)
      })
    }),
    [home.endpoint]: endpoint(home, (call) => {
      checkNames(call.request, [...paging, ...windowing, 'exclude', ...fieldParams])
      onlySelf(call)
      const followed = data.following(call.viewer.id)
      const seen = followed.length === 0 ? [] : [call.viewer, ...followed]
      return timeline(
        call,
        seen.flatMap(({ username }) => data.store.list(username, 'posts')),
        1,
        100,
      )
    }),
    [likes.endpoint]: endpoint(likes, (call) => {
      checkNames(call.request, [...paging, ...fieldParams])
      return withUser(call, (username) => savedPosts(call, username, 'likes', 5))
    }),
    [bookmarks.endpoint]: endpoint(bookmarks, (call) => {
      checkNames(call.request, [...paging, ...fieldParams])
      onlySelf(call)
      return savedPosts(call, call.viewer.username, 'bookmarks', 1)
    }),
  }
}

const tombstone: StoredItem = { id: '', createdAtMs: 0, updatedAtMs: 0, deletedAtMs: 0, fields: {} }
