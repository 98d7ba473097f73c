import type { Reply } from '../../base/reply.ts'
import type { Routes } from '../../base/router.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import { answer } from './answer.ts'
import type { ApiParts, Ask, Asked } from './ask.ts'
import { expandPosts } from './expand.ts'
import { compareIds } from './ids.ts'
import type { PostFields } from './model.ts'
import { pageOf } from './page.ts'
import { checkedId, checkNames, countParam, idParam, listParam, timeParam } from './params.ts'
import { type Presenter, presentPost } from './present.ts'
import { invalidParameter, missing } from './problems.ts'
import { fieldParams, readWanted } from './wanted.ts'

const paging = ['max_results', 'pagination_token']
const windowing = ['since_id', 'until_id', 'start_time', 'end_time']
const fieldsOf = (item: StoredItem): PostFields => item.fields as PostFields

export function timelineRoutes({ context, data }: ApiParts, ask: Ask): Routes {
  /** `id`, times and kinds of posts that the question leaves in. */
  function inWindow({ request }: Asked): (item: StoredItem) => boolean {
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
    least: number
    otherwise: number
    isTimeline: boolean
    visible?: (item: StoredItem) => boolean
  }

  function listing(asked: Asked, { items, least, otherwise, isTimeline, visible = isShown }: Listing): Reply {
    const wanted = readWanted(asked.request, 'tweet')
    const presenter: Presenter = { url: context.url(), data, viewerId: asked.viewer.id, wanted }
    const count = countParam(asked.request, least, 100, otherwise)
    const { shown, tokens } = pageOf(asked.request, items, visible, count)
    const ids = shown.map(({ id }) => id).sort(compareIds)
    const edges = isTimeline && ids.length > 0 ? { newest_id: ids.at(-1), oldest_id: ids[0] } : {}
    return answer(wanted, {
      data: shown.map((item) => presentPost(presenter, item)),
      ...expandPosts(presenter, shown),
      meta: { ...edges, result_count: shown.length, ...tokens },
    })
  }

  const timeline = (asked: Asked, items: StoredItem[], least: number, otherwise: number): Reply => {
    const fits = inWindow(asked)
    const sorted = items.filter(fits).sort((a, b) => compareIds(b.id, a.id))
    return listing(asked, { items: sorted, least, otherwise, isTimeline: true })
  }

  /** The person in the path; nobody by that id is told inside an answer of status 200. */
  function about(asked: Asked, act: (username: string) => Reply): Reply {
    const id = checkedId('id', asked.params['id'] ?? '')
    const user = data.user(id)
    if (user) return act(user.username)
    return answer(readWanted(asked.request, 'tweet'), { errors: [missing('user', 'id', id)] })
  }

  function onlySelf({ params, viewer }: Asked): void {
    const id = checkedId('id', params['id'] ?? '')
    if (id !== viewer.id)
      throw invalidParameter(
        'id',
        id,
        `The \`id\` query parameter value [${id}] must be the same as the authenticating user [${viewer.id}]`,
      )
  }

  /** Likes and bookmarks are lists of ids in the order they were given. */
  function noted(asked: Asked, username: string, kind: 'likes' | 'bookmarks', least: number): Reply {
    const notes = data.store.list(username, kind)
    const hidden = new Set(notes.filter((note) => !isShown(note)).map(({ id }) => id))
    const items = notes.map(({ id }): StoredItem => data.post(id) ?? { ...gone, id })
    const visible = (item: StoredItem) => !hidden.has(item.id) && item !== undefined && item.deletedAtMs === undefined
    return listing(asked, { items, least, otherwise: 100, isTimeline: false, visible })
  }

  const base = ['tweet.read', 'users.read']
  const own = { endpoint: 'GET /2/users/:id/tweets', limit: 900, scopes: base }
  const mentions = { endpoint: 'GET /2/users/:id/mentions', limit: 300, scopes: base }
  const home = { endpoint: 'GET /2/users/:id/timelines/reverse_chronological', limit: 180, scopes: base }
  const likes = { endpoint: 'GET /2/users/:id/liked_tweets', limit: 75, scopes: [...base, 'like.read'] }
  const bookmarks = { endpoint: 'GET /2/users/:id/bookmarks', limit: 180, scopes: [...base, 'bookmark.read'] }

  return {
    [own.endpoint]: ask(own, (asked) => {
      checkNames(asked.request, [...paging, ...windowing, 'exclude', ...fieldParams])
      return about(asked, (username) => timeline(asked, [...data.store.list(username, 'posts')], 5, 10))
    }),
    [mentions.endpoint]: ask(mentions, (asked) => {
      checkNames(asked.request, [...paging, ...windowing, ...fieldParams])
      return about(asked, () => {
        const id = asked.params['id'] ?? ''
        const naming = data.users.flatMap(({ username }) =>
          data.store.list(username, 'posts').filter((item) => fieldsOf(item).mentions.includes(id)),
        )
        return timeline(asked, naming, 5, 10)
      })
    }),
    [home.endpoint]: ask(home, (asked) => {
      checkNames(asked.request, [...paging, ...windowing, 'exclude', ...fieldParams])
      onlySelf(asked)
      const followed = data.following(asked.viewer.id)
      const seen = followed.length === 0 ? [] : [asked.viewer, ...followed]
      return timeline(
        asked,
        seen.flatMap(({ username }) => data.store.list(username, 'posts')),
        1,
        100,
      )
    }),
    [likes.endpoint]: ask(likes, (asked) => {
      checkNames(asked.request, [...paging, ...fieldParams])
      return about(asked, (username) => noted(asked, username, 'likes', 5))
    }),
    [bookmarks.endpoint]: ask(bookmarks, (asked) => {
      checkNames(asked.request, [...paging, ...fieldParams])
      onlySelf(asked)
      return noted(asked, asked.viewer.username, 'bookmarks', 1)
    }),
  }
}

const gone: StoredItem = { id: '', createdAtMs: 0, updatedAtMs: 0, deletedAtMs: 0, fields: {} }
