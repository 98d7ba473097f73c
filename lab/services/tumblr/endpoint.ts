import { Refusal, type Reply } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { Handler } from '../../base/router.ts'
import type { ServiceContext } from '../../base/service-parts.ts'
import type { TumblrData } from './data.ts'
import { refused } from './envelope.ts'
import type { TumblrLimits } from './limits.ts'
import type { Blog } from './model.ts'
import type { TumblrOAuth } from './oauth.ts'
import type { Presenter } from './present-blog.ts'

export interface ApiParts {
  context: ServiceContext
  oauth: TumblrOAuth
  data: TumblrData
  limits: TumblrLimits
}

export interface ApiCall {
  request: LabRequest
  params: Record<string, string>
  presenter: Presenter
  /** Empty if only an API key was sent. */
  viewer: string
}

export type ApiHandler = (call: ApiCall) => Reply
type Level = 'key' | 'person' | 'write'
export type EndpointFactory = (level: Level, handler: ApiHandler) => Handler

/** Wraps a handler: checks the API key or the access token, then the app's rate limits. */
export function createEndpointFactory({ context, oauth, data, limits }: ApiParts): EndpointFactory {
  return (level, handler) => (request, params) => {
    const caller = oauth.caller(request)
    const withHeaders = limits.acquire(caller.consumerKey)
    try {
      if (level !== 'key' && caller.username === undefined) throw refused(401, 'Unable to authorize', 1016)
      if (level === 'write' && !caller.mayWrite) throw refused(403, 'The write scope is needed', 1017)
      const viewer = caller.username ?? ''
      const presenter = { url: context.url(), data, ...(viewer === '' ? {} : { viewer }) }
      return withHeaders(handler({ request, params, presenter, viewer }))
    } catch (error) {
      if (error instanceof Refusal) return withHeaders(error.reply)
      throw error
    }
  }
}

/** The blog in the path, or 404. */
export function namedBlog({ presenter, params }: ApiCall): Blog {
  const blog = presenter.data.blog(params['blog'] ?? '')
  if (!blog) throw refused(404, 'There is no such blog')
  return blog
}
