import { first } from '../../base/pairs.ts'
import { type ApiParts, type Call, namedBlog, ownedBlog, type TumblrApi } from './endpoint.ts'
import { refused } from './envelope.ts'
import { decodePage, encodePage } from './ids.ts'
import type { PostItem, PostType } from './model.ts'
import * as params from './params.ts'
import { blogUrl, fullBlog, shortBlog, updatedOf } from './present-blog.ts'
import { presentNote, presentPost } from './present-post.ts'

export function blogResources({ data }: ApiParts, { list, one }: TumblrApi) {
  /** Private posts are visible to the owner only. */
  function posts(call: Call, type: PostType | undefined) {
    const { request, viewer } = call
    const blog = namedBlog(call)
    const options = params.postOptions(request)
    const tags = params.tagsOf(request)
    const seesPrivate = blog.owner === viewer && viewer !== ''
    const all = data.posts
      .shown(blog.name)
      .filter(({ fields }) => fields.state === 'published' || seesPrivate)
      .filter(({ fields }) => type === undefined || fields.type === type)
      .filter(({ fields }) => tags.every((tag) => fields.tags.some((own) => own.toLowerCase() === tag)))
    const id = params.idParam(request, 'id')
    if (id !== undefined) {
      const found = all.find((item) => BigInt(item.id) === id)
      if (!found) throw refused(404, 'There is no such post')
      return { blog: fullBlog(call, blog), posts: [presentPost(call, found, options)], total_posts: 1 }
    }
    const { shown, links } = postPage(call, all)
    return {
      blog: fullBlog(call, blog),
      posts: shown.map((item) => presentPost(call, item, options)),
      total_posts: all.length,
      ...links,
    }
  }

  function postPage({ request }: Call, all: PostItem[]) {
    params.onlyOneOf(request, ['offset', 'before', 'page_number'])
    const limit = params.limitParam(request)
    const sort = params.choice(request, 'sort', ['desc', 'asc'], 'sort is asc or desc')
    const { includes } = params.timesParam(request)
    const inTime = all.filter(({ createdAtMs }) => includes(createdAtMs))
    const sorted = sort === 'asc' ? inTime.reverse() : inTime
    const start = startOf(first(request.query, 'page_number'), sorted) ?? params.numberParam(request, 'offset') ?? 0
    const shown = sorted.slice(start, start + limit)
    const last = shown.at(-1)
    const more = last !== undefined && start + limit < sorted.length
    return { shown, links: more ? { _links: params.nextLink(request, { page_number: encodePage(last.id) }) } : {} }
  }

  function startOf(token: string | undefined, sorted: PostItem[]): number | undefined {
    if (token === undefined) return undefined
    const id = decodePage(token)
    if (id === undefined) throw refused(400, 'page_number is not one of ours')
    const at = sorted.findIndex((item) => item.id === id)
    if (at >= 0) return at + 1
    const older = sorted.findIndex((item) => BigInt(item.id) < BigInt(id))
    return older < 0 ? sorted.length : older
  }

  /** All likes, reblogs and replies of a post. */
  function notes(call: Call) {
    const blog = namedBlog(call)
    const id = params.idParam(call.request, 'id')
    if (id === undefined) throw refused(400, 'id is missing')
    const item = data.post(String(id))
    if (!item || item.fields.blog !== blog.name) throw refused(404, 'There is no such post')
    const all = item.fields.notes
    return { notes: all.toReversed().map((note) => presentNote(call, note, item.id)), total_notes: all.length }
  }

  return {
    'GET /v2/blog/:blog/info': one({ level: 'key' }, (call) => ({ blog: fullBlog(call, namedBlog(call)) })),
    'GET /v2/blog/:blog/posts': one({ level: 'key' }, (call) => posts(call, params.typeOf(call.request))),
    'GET /v2/blog/:blog/posts/:type': one({ level: 'key' }, (call) =>
      posts(call, params.checkedType(call.params['type'] ?? '')),
    ),
    'GET /v2/blog/:blog/followers': list(
      { level: 'person', list: { named: 'users', counted: 'total_users', linked: false } },
      (call) => data.followers(ownedBlog(call, 'Only the owner may see who follows').name),
      ({ viewer }, { name }) => ({
        name,
        url: blogUrl(name),
        updated: updatedOf(data, name),
        following: data.follows(viewer, name),
      }),
    ),
    'GET /v2/blog/:blog/following': one({ level: 'person' }, (call) => {
      const { owner } = namedBlog(call)
      const all = owner === undefined ? [] : data.following(owner)
      const { shown } = params.offsetPage(call.request, all)
      return { blogs: shown.map((blog) => shortBlog(call, blog)), total_blogs: all.length }
    }),
    'GET /v2/blog/:blog/notes': one({ level: 'key' }, notes),
  }
}
