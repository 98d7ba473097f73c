import { isShown } from '../../data/item-store.ts'
import { type ApiParts, type Call, namedBlog, type TumblrApi } from './endpoint.ts'
import { refused } from './envelope.ts'
import {
  idParam,
  limitParam,
  nextLink,
  numberParam,
  offsetPage,
  onlyOneOf,
  postOptions,
  seconds,
  timesParam,
  typeOf,
} from './params.ts'
import { ownBlog, shortBlog } from './present-blog.ts'
import { presentPost } from './present-post.ts'

export function userResources({ data }: ApiParts, { list, one }: TumblrApi) {
  const info = (call: Call) => ({
    user: {
      name: call.viewer,
      likes: data.liked(call.viewer).length,
      following: data.following(call.viewer).length,
      default_post_format: 'html',
      blogs: data.blogsOf(call.viewer).map((blog) => ownBlog(call, blog)),
    },
  })

  /** Deleted posts keep their offset: a page before the last one may be short. */
  function dashboard(call: Call) {
    const { request, viewer } = call
    const type = typeOf(request)
    const sinceId = idParam(request, 'since_id') ?? 0n
    const options = postOptions(request)
    const followed = data.following(viewer)
    const blogs = followed.length === 0 ? [] : [...data.blogsOf(viewer), ...followed]
    const all = blogs
      .flatMap(({ name }) => data.posts.list(name))
      .filter(({ fields }) => fields.state === 'published' && (type === undefined || fields.type === type))
      .filter(({ id }) => BigInt(id) > sinceId)
      .sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1))
    const { shown, links } = offsetPage(request, all)
    return { posts: shown.filter(isShown).map((item) => presentPost(call, item, options)), ...links }
  }

  function likes(call: Call, username: string) {
    const { request } = call
    onlyOneOf(request, ['offset', 'before', 'after'])
    const [limit, offset] = [limitParam(request), numberParam(request, 'offset') ?? 0]
    if (offset > 1000) throw refused(400, 'offset is at most 1000; use before or after')
    const { includes } = timesParam(request)
    const options = postOptions(request)
    const all = data.liked(username)
    const matching = all.filter(({ like }) => includes(like.createdAtMs))
    const shown = matching.slice(offset, offset + limit)
    const last = shown.at(-1)
    const more = last && offset + limit < matching.length
    return {
      liked_posts: shown.map(({ like, post }) => ({
        ...presentPost(call, post, options),
        liked_timestamp: seconds(like.createdAtMs),
      })),
      liked_count: all.length,
      ...(more ? { _links: nextLink(request, { before: seconds(last.like.createdAtMs) }) } : {}),
    }
  }

  return {
    'GET /v2/user/info': one({ level: 'person' }, info),
    'GET /v2/user/dashboard': one({ level: 'person' }, dashboard),
    'GET /v2/user/likes': one({ level: 'person' }, (call) => likes(call, call.viewer)),
    'GET /v2/blog/:blog/likes': one({ level: 'key' }, (call) => {
      const { owner } = namedBlog(call)
      if (owner === undefined) throw refused(403, 'This blog does not share its likes')
      return likes(call, owner)
    }),
    'GET /v2/user/following': list(
      { level: 'person', list: { named: 'blogs', counted: 'total_blogs', linked: true } },
      ({ viewer }) => data.following(viewer),
      shortBlog,
    ),
  }
}
