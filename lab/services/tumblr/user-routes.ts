import { first } from '../../base/pairs.ts'
import type { Reply } from '../../base/reply.ts'
import type { Routes } from '../../base/router.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import { type ApiCall, type ApiParts, type EndpointFactory, namedBlog } from './endpoint.ts'
import { refused, wrapped } from './envelope.ts'
import type { PostFields } from './model.ts'
import { idParam, limitParam, nextLink, numberParam, onlyOneOf, postOptions, typeOf } from './params.ts'
import { ownBlog, shortBlog } from './present-blog.ts'
import { presentPost } from './present-post.ts'

export function userRoutes({ data }: ApiParts, endpoint: EndpointFactory): Routes {
  function info({ viewer, presenter }: ApiCall): Reply {
    return wrapped({
      user: {
        name: viewer,
        likes: data.liked(viewer).length,
        following: data.following(viewer).length,
        default_post_format: 'html',
        blogs: data.blogsOf(viewer).map((blog) => ownBlog(presenter, blog)),
      },
    })
  }

  /** Deleted posts keep their offset: a page before the last one may be short. */
  function dashboard({ request, viewer, presenter }: ApiCall): Reply {
    const type = typeOf(first(request.query, 'type'))
    const sinceId = idParam(request, 'since_id') ?? 0n
    const options = postOptions(request)
    const followed = data.following(viewer)
    const names = followed.length === 0 ? [] : [...data.blogsOf(viewer), ...followed].map(({ name }) => name)
    const all = names
      .flatMap((name) => data.store.list(name, 'posts'))
      .filter(({ fields, id }) => {
        const { state, type: own } = fields as PostFields
        return state === 'published' && (type === undefined || own === type) && BigInt(id) > sinceId
      })
      .sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1))
    const [limit, offset] = [limitParam(request), numberParam(request, 'offset') ?? 0]
    const shown = all.slice(offset, offset + limit).filter(isShown)
    const links = offset + limit < all.length ? { _links: nextLink(request, { offset: offset + limit }) } : {}
    return wrapped({ posts: shown.map((item) => presentPost(presenter, item, options)), ...links })
  }

  function likes({ request, presenter }: ApiCall, username: string): Reply {
    onlyOneOf(request, ['offset', 'before', 'after'])
    const [limit, offset] = [limitParam(request), numberParam(request, 'offset') ?? 0]
    if (offset > 1000) throw refused(400, 'offset is at most 1000; use before or after')
    const before = numberParam(request, 'before') ?? Number.POSITIVE_INFINITY
    const after = numberParam(request, 'after') ?? 0
    const options = postOptions(request)
    const all = data.liked(username)
    const seconds = ({ like }: { like: StoredItem }) => Math.floor(like.createdAtMs / 1000)
    const matching = all.filter((one) => seconds(one) < before && seconds(one) > after)
    const shown = matching.slice(offset, offset + limit)
    const last = shown.at(-1)
    const more = last && offset + limit < matching.length
    return wrapped({
      liked_posts: shown.map((one) => ({
        ...presentPost(presenter, one.post, options),
        liked_timestamp: seconds(one),
      })),
      liked_count: all.length,
      ...(more ? { _links: nextLink(request, { before: seconds(last) }) } : {}),
    })
  }

  return {
    'GET /v2/user/info': endpoint('person', info),
    'GET /v2/user/dashboard': endpoint('person', dashboard),
    'GET /v2/user/likes': endpoint('person', (call) => likes(call, call.viewer)),
    'GET /v2/blog/:blog/likes': endpoint('key', (call) => {
      const { owner } = namedBlog(call)
      if (owner === undefined) throw refused(403, 'This blog does not share its likes')
      return likes(call, owner)
    }),
    'GET /v2/user/following': endpoint('person', ({ request, viewer, presenter }) => {
      const all = data.following(viewer)
      const [limit, offset] = [limitParam(request), numberParam(request, 'offset') ?? 0]
      const blogs = all.slice(offset, offset + limit).map((blog) => shortBlog(presenter, blog))
      const links = offset + limit < all.length ? { _links: nextLink(request, { offset: offset + limit }) } : {}
      return wrapped({ total_blogs: all.length, blogs, ...links })
    }),
  }
}
