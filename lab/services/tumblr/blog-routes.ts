import { first } from '../../base/pairs.ts'
import { type Reply, redirect } from '../../base/reply.ts'
import type { Routes } from '../../base/router.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import { type ApiCall, type ApiParts, type EndpointFactory, namedBlog } from './endpoint.ts'
import { refused, wrapped } from './envelope.ts'
import { decodePage, encodePage } from './ids.ts'
import type { Blog, PostFields, PostType } from './model.ts'
import { idParam, limitParam, nextLink, numberParam, onlyOneOf, postOptions, tagsOf, typeOf } from './params.ts'
import { blogUrl, fullBlog, shortBlog, updatedOf } from './present-blog.ts'
import { presentNote, presentPost } from './present-post.ts'

const fieldsOf = (item: StoredItem): PostFields => item.fields as PostFields

export function blogRoutes({ context, data }: ApiParts, endpoint: EndpointFactory): Routes {
  /** Private posts are visible to the owner only. */
  const visible = (call: ApiCall, blog: Blog) => (item: StoredItem) =>
    isShown(item) && (fieldsOf(item).state === 'published' || (blog.owner === call.viewer && call.viewer !== ''))

  function posts(call: ApiCall, type: PostType | undefined): Reply {
    const { request, presenter } = call
    const blog = namedBlog(call)
    const options = postOptions(request)
    const tags = tagsOf(request)
    const all = data.store
      .list(blog.name, 'posts')
      .filter(visible(call, blog))
      .filter(({ fields }) => type === undefined || fields['type'] === type)
      .filter((item) => tags.every((tag) => fieldsOf(item).tags.some((own) => own.toLowerCase() === tag)))
    const id = idParam(request, 'id')
    if (id !== undefined) {
      const one = all.find((item) => BigInt(item.id) === id)
      if (!one) throw refused(404, 'There is no such post')
      return wrapped({ blog: fullBlog(presenter, blog), posts: [presentPost(presenter, one, options)], total_posts: 1 })
    }
    const { shown, links } = postPage(call, all)
    return wrapped({
      blog: fullBlog(presenter, blog),
      posts: shown.map((item) => presentPost(presenter, item, options)),
      total_posts: all.length,
      ...links,
    })
  }

  function postPage({ request }: ApiCall, all: StoredItem[]): { shown: StoredItem[]; links: object } {
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

  function followers(call: ApiCall): Reply {
    const blog = namedBlog(call)
    if (blog.owner !== call.viewer) throw refused(403, 'Only the owner may see who follows')
    const { request } = call
    const all = data.followers(blog.name)
    const [limit, offset] = [limitParam(request), numberParam(request, 'offset') ?? 0]
    const users = all.slice(offset, offset + limit).map(({ name }) => ({
      name,
      url: blogUrl(name),
      updated: updatedOf(data, name),
      following: data.following(call.viewer).some((one) => one.name === name),
    }))
    return wrapped({ total_users: all.length, users })
  }

  /** All likes, reblogs and replies of a post. */
  function notes(call: ApiCall): Reply {
    const blog = namedBlog(call)
    const id = idParam(call.request, 'id')
    if (id === undefined) throw refused(400, 'id is missing')
    const item = data.post(String(id))
    if (!item || fieldsOf(item).blog !== blog.name) throw refused(404, 'There is no such post')
    const all = fieldsOf(item).notes
    return wrapped({
      notes: all.toReversed().map((note) => presentNote(call.presenter, note, item.id)),
      total_notes: all.length,
    })
  }

  return {
    'GET /v2/blog/:blog/info': endpoint('key', (call) => wrapped({ blog: fullBlog(call.presenter, namedBlog(call)) })),
    'GET /v2/blog/:blog/avatar': (_request, { blog = '' }) =>
      redirect(`${context.url()}/media/64x64-${(blog.length * 47) % 360}.svg`),
    'GET /v2/blog/:blog/posts': endpoint('key', (call) => posts(call, typeOf(first(call.request.query, 'type')))),
    'GET /v2/blog/:blog/posts/:type': endpoint('key', (call) => posts(call, typeOf(call.params['type']))),
    'GET /v2/blog/:blog/followers': endpoint('person', followers),
    'GET /v2/blog/:blog/following': endpoint('person', (call) => {
      const { owner } = namedBlog(call)
      const all = owner === undefined ? [] : data.following(owner)
      const [limit, offset] = [limitParam(call.request), numberParam(call.request, 'offset') ?? 0]
      const blogs = all.slice(offset, offset + limit).map((blog) => shortBlog(call.presenter, blog))
      return wrapped({ blogs, total_blogs: all.length })
    }),
    'GET /v2/blog/:blog/notes': endpoint('key', notes),
  }
}
