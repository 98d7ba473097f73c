import type { LabRequest } from '../../base/request.ts'
import type { ServiceContext } from '../../base/service-parts.ts'
import { declareApi } from '../../declare/api.ts'
import type { TumblrData } from './data.ts'
import { failure, refused, wrapped } from './envelope.ts'
import type { TumblrLimits } from './limits.ts'
import type { Blog } from './model.ts'
import type { TumblrOAuth } from './oauth.ts'
import { offsetPage } from './params.ts'
import type { View } from './present-blog.ts'

export interface ApiParts {
  context: ServiceContext
  oauth: TumblrOAuth
  data: TumblrData
  limits: TumblrLimits
}

export interface Call extends View {
  request: LabRequest
  params: Record<string, string>
  mayWrite: boolean
}

interface Need {
  /** An API key alone, a person's token, or one that may write. */
  level: 'key' | 'person' | 'write'
  /** Lists by offset: the name of the list and of its size, and whether a link leads to the next page. */
  list?: { named: string; counted: string; linked: boolean }
}

export type TumblrApi = ReturnType<typeof tumblrApi>

/** Checks the API key or the access token, then the app's rate limits, then who may do it. */
export const tumblrApi = ({ context, oauth, data, limits }: ApiParts) =>
  declareApi<Need, Call>({
    admit({ request, params }) {
      const { consumerKey, username = '', mayWrite } = oauth.caller(request)
      const finish = limits.acquire(consumerKey)
      return { call: { request, params, url: context.url(), data, viewer: username, mayWrite }, finish }
    },
    check({ viewer, mayWrite }, { level }) {
      if (level !== 'key' && viewer === '') throw refused(401, 'Unable to authorize', 1016)
      if (level === 'write' && !mayWrite) throw refused(403, 'The write scope is needed', 1017)
      return undefined
    },
    reply: (value) => wrapped(value),
    page({ request }, all, show, { list }) {
      const { named = 'list', counted = 'total', linked = false } = list ?? {}
      const { shown, links } = offsetPage(request, all)
      return wrapped({ [counted]: all.length, [named]: shown.map(show), ...(linked ? links : {}) })
    },
    unknown: { below: '/v2', depth: 5, reply: () => failure(404, 'There is nothing here') },
  })

/** The blog in the path, or 404. */
export function namedBlog({ data, params }: Call): Blog {
  const blog = data.blog(params['blog'] ?? '')
  if (!blog) throw refused(404, 'There is no such blog')
  return blog
}

/** The blog in the path, if it is the caller's. */
export function ownedBlog(call: Call, refusal: string): Blog {
  const blog = namedBlog(call)
  if (blog.owner !== call.viewer) throw refused(403, refusal)
  return blog
}
