import { first } from '../../base/pairs.ts'
import { type Reply, redirect } from '../../base/reply.ts'
import type { Routes } from '../../base/router.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import { type ApiParts, type Ask, type Asked, namedBlog } from './ask.ts'
import { refused, wrapped } from './envelope.ts'
import { decodePage, encodePage } from './ids.ts'
import type { Blog, PostFields, PostType } from './model.ts'
import { idParam, limitParam, nextLink, numberParam, onlyOneOf, tagsOf, typeOf, wishesOf } from './params.ts'
import { blogUrl, fullBlog, shortBlog, updatedOf } from './present-blog.ts'
import { presentNote, presentPost } from './present-post.ts'

const fieldsOf = (item: StoredItem): PostFields => item.fields as PostFields

export function blogRoutes({ context, data }: ApiParts, ask: Ask): Routes {
  /** Private posts show themselves to the owner alone. */
  const visible = (asked: Asked, blog: Blog) => (item: StoredItem) =>
    isShown(item) && (fieldsOf(item).state === 'published' || (blog.owner === asked.viewer && asked.viewer !== ''))

  function posts(asked: Asked, type: PostType | undefined): Reply {
    const { request, presenter } = asked
    const blog = namedBlog(asked)
    const wishes = wishesOf(request)
    const tags = tagsOf(request)
    const all = data.store
      .list(blog.name, 'posts')
      .filter(visible(asked, blog))
      .filter(({ fields }) => type === undefined || fields['type'] === type)
      .filter((item) => tags.every((tag) => fieldsOf(item).tags.some((own) => own.toLowerCase() === tag)))
    const id = idParam(request, 'id')
    if (id !== undefined) {
      const one = all.find((item) => BigInt(item.id) === id)
      if (!one) throw refused(404, 'There is no such post')
      return wrapped({ blog: fullBlog(presenter, blog), posts: [presentPost(presenter, one, wishes)], total_posts: 1 })
    }
    const { shown, links } = postPage(asked, all)
    return wrapped({
      blog: fullBlog(presenter, blog),
      posts: shown.map((item) => presentPost(presenter, item, wishes)),
      total_posts: all.length,
      ...links,
    })
  }

  function postPage({ request }: Asked, all: StoredItem[]): { shown: StoredItem[]; links: object } {
    onlyOneOf(request, ['offset', 'before', 'page_number'])
    const limit = limitParam(request)
    const sort = first(request.query, 'sort') ?? 'desc'
    if (sort !== 'desc' && sort !== 'asc') throw refused(400, 'sort is asc or desc')
    const before = numberParam(request, 'before') ?? Number.POSITIVE_INFINITY
    const after = numberParam(request, 'after') ?? 0
    const inTime = all.filter(({ createdAtMs }) => {
      const seconds = Math.floor(createdAtMs / 1000)
      return seconds < before && seconds > after
    })
    const sorted = sort === 'asc' ? inTime.reverse() : inTime
    const start = startOf(first(request.query, 'page_number'), sorted) ?? numberParam(request, 'offset') ?? 0
    const shown = sorted.slice(start, start + limit)
    const last = shown.at(-1)
    const more = last !== undefined && start + limit < sorted.length
    return { shown, links: more ? { _links: nextLink(request, { page_number: encodePage(last.id) }) } : {} }
  }

  function startOf(token: string | undefined, sorted: StoredItem[]): number | undefined {
    if (token === undefined) return undefined
    const id = decodePage(token)
    if (id === undefined) throw refused(400, 'page_number is not one of ours')
    const at = sorted.findIndex((item) => item.id === id)
    if (at >= 0) return at + 1
    const older = sorted.findIndex((item) => BigInt(item.id) < BigInt(id))
    return older < 0 ? sorted.length : older
  }

  function followers(asked: Asked): Reply {
    const blog = namedBlog(asked)
    if (blog.owner !== asked.viewer) throw refused(403, 'Only the owner may see who follows')
    const { request } = asked
    const all = data.followers(blog.name)
    const [limit, offset] = [limitParam(request), numberParam(request, 'offset') ?? 0]
    const users = all.slice(offset, offset + limit).map(({ name }) => ({
      name,
      url: blogUrl(name),
      updated: updatedOf(data, name),
      following: data.following(asked.viewer).some((one) => one.name === name),
    }))
    return wrapped({ total_users: all.length, users })
  }

  /** Who liked, reblogged and answered a post, all of them. */
  function notes(asked: Asked): Reply {
    const blog = namedBlog(asked)
    const id = idParam(asked.request, 'id')
    if (id === undefined) throw refused(400, 'id is missing')
    const item = data.post(String(id))
    if (!item || fieldsOf(item).blog !== blog.name) throw refused(404, 'There is no such post')
    const all = fieldsOf(item).notes
    return wrapped({
      notes: all.toReversed().map((note) => presentNote(asked.presenter, note, item.id)),
      total_notes: all.length,
    })
  }

  return {
    'GET /v2/blog/:blog/info': ask('key', (asked) => wrapped({ blog: fullBlog(asked.presenter, namedBlog(asked)) })),
    'GET /v2/blog/:blog/avatar': (_request, { blog = '' }) =>
      redirect(`${context.url()}/media/64x64-${(blog.length * 47) % 360}.svg`),
    'GET /v2/blog/:blog/posts': ask('key', (asked) => posts(asked, typeOf(first(asked.request.query, 'type')))),
    'GET /v2/blog/:blog/posts/:type': ask('key', (asked) => posts(asked, typeOf(asked.params['type']))),
    'GET /v2/blog/:blog/followers': ask('person', followers),
    'GET /v2/blog/:blog/following': ask('person', (asked) => {
      const { owner } = namedBlog(asked)
      const all = owner === undefined ? [] : data.following(owner)
      const [limit, offset] = [limitParam(asked.request), numberParam(asked.request, 'offset') ?? 0]
      const blogs = all.slice(offset, offset + limit).map((blog) => shortBlog(asked.presenter, blog))
      return wrapped({ blogs, total_blogs: all.length })
    }),
    'GET /v2/blog/:blog/notes': ask('key', notes),
  }
}
