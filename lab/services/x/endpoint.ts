import { Refusal, type Reply } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { Handler } from '../../base/router.ts'
import type { ServiceContext } from '../../base/service-parts.ts'
import type { OAuth1Server } from '../../oauth1/server.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'
import type { Resource, XBilling } from './billing.ts'
import type { XData } from './data.ts'
import type { XLimits } from './limits.ts'
import type { XUser } from './model.ts'
import { forbidden, noDmPermission, unauthorized } from './problems.ts'
import type { Vocabulary } from './vocabulary.ts'

export interface ApiParts {
  context: ServiceContext
  oauth1: OAuth1Server
  oauth2: OAuth2Server
  data: XData
  limits: XLimits
  billing: XBilling
  vocabulary: Vocabulary
}

export interface ApiCall {
  request: LabRequest
  params: Record<string, string>
  viewer: XUser
  /** Empty for OAuth 1.0a. */
  scopes: readonly string[]
}

export type ApiHandler = (call: ApiCall) => Reply

interface Rules {
  /** The name used in the documentation. Each endpoint has its own counter. */
  endpoint: string
  /** Requests per person in fifteen minutes. */
  limit: number
  scopes: string[]
  /** What its responses list and are charged for. */
  charged?: Resource
}

export type EndpointFactory = (rules: Rules, handler: ApiHandler) => Handler

/** Wraps a handler: checks the OAuth 1 or OAuth 2 token and its permissions, then the endpoint's rate limit. */
export function createEndpointFactory({
  oauth1,
  oauth2,
  data,
  limits,
  billing,
  vocabulary,
}: ApiParts): EndpointFactory {
  return ({ endpoint, limit, scopes, charged }, handler) =>
    (request, params) => {
      const caller = callerOf(oauth1, oauth2, request, scopes)
      const viewer = data.byName(caller.username)
      if (!viewer) throw new Error(`no account for ${caller.username}`)
      const withHeaders = limits.acquire(viewer.id, endpoint, limit)
      try {
        vocabulary.check(request)
        const withCharge = charged === undefined ? (reply: Reply) => reply : billing.open(charged)
        return withHeaders(withCharge(handler({ request, params, viewer, scopes: caller.scopes })))
      } catch (error) {
        if (error instanceof Refusal) return withHeaders(error.reply)
        throw error
      }
    }
}

function callerOf(oauth1: OAuth1Server, oauth2: OAuth2Server, request: LabRequest, required: string[]) {
  const isOAuth1 = /^OAuth /i.test(request.headers.authorization ?? '')
  try {
    if (!isOAuth1) {
      const { person, scopes } = oauth2.guard(request)
      if (required.some((scope) => !scopes.includes(scope))) throw forbidden()
      return { username: person.username, scopes }
    }
    const { person, permissions } = oauth1.guard(request)
    if (required.includes('dm.read') && !permissions.includes('dm')) throw noDmPermission()
    return { username: person.username, scopes: [] }
  } catch (error) {
    if (error instanceof Refusal && error.reply.status !== 403) throw unauthorized()
    throw error
  }
}
