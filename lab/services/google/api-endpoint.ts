import { first } from '../../base/pairs.ts'
import type { Person } from '../../base/people.ts'
import type { RateLimit } from '../../base/rate-limit.ts'
import { json, type Reply, refusedAs } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { Handler } from '../../base/router.ts'
import type { ServiceContext } from '../../base/service-parts.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'
import { applyMask, parseMask } from './field-mask.ts'
import type { Positions } from './positions.ts'
import { failure, invalid } from './respond.ts'
import type { TrackedStore } from './tracked-store.ts'

export interface ApiParts {
  context: ServiceContext
  oauth: OAuth2Server
  tracked: TrackedStore
  positions: Positions
  rateLimit: RateLimit
  /** YouTube's units of a day, shared by all people of an app. */
  units: { left: number }
}

export interface Call {
  person: Person
  request: LabRequest
  params: Record<string, string>
  scopes: readonly string[]
  get: (name: string) => string | undefined
}

/** A call with a token of this scope, within the limits; `fields` selects parts of the response. */
export const apiEndpoint = (parts: ApiParts, scope: string | undefined, act: (call: Call) => unknown): Handler =>
  ownEndpoint(parts, scope, (call) => selected(call, act(call)))

/** One whose reply is written by hand. */
export const ownEndpoint =
  ({ oauth, rateLimit }: ApiParts, scope: string | undefined, act: (call: Call) => Reply): Handler =>
  (request, params) => {
    const { person, scopes } = callerOf(oauth, request, scope)
    count(rateLimit, person.id)
    return act({ person, request, params, scopes, get: (name) => first(request.query, name) })
  }

/** The parts of a response that `fields` selects. */
export function selected({ get }: Pick<Call, 'get'>, value: unknown): Reply {
  const fields = get('fields')
  const mask = fields === undefined ? undefined : parseMask(fields)
  if (fields !== undefined && mask === undefined) throw invalid('fields', `Invalid field selection ${fields}`)
  return json(200, applyMask(value, mask))
}

function callerOf(oauth: OAuth2Server, request: LabRequest, scope: string | undefined) {
  return refusedAs(
    () => oauth.guard(request, scope),
    ({ status }) =>
      status === 403
        ? failure(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.', {
            status: 'PERMISSION_DENIED',
            info: { reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' },
          })
        : failure(401, 'authError', 'Invalid Credentials', { status: 'UNAUTHENTICATED' }),
  )
}

/** Responses have no headers about limits, and a refusal names no wait. */
const count = (rateLimit: RateLimit, key: string) =>
  refusedAs(
    () => rateLimit.acquire(key),
    () => failure(403, 'userRateLimitExceeded', 'User Rate Limit Exceeded', { domain: 'usageLimits' }),
  )

/** The body as a record; the vendor takes JSON of any media type. */
export function recordOf({ body }: Pick<LabRequest, 'body'>): Record<string, unknown> {
  try {
    return JSON.parse(body.toString() || '{}') as Record<string, unknown>
  } catch {
    throw failure(400, 'parseError', 'Parse Error')
  }
}

/** A whole number within bounds; what is larger is cut as the documentation says. */
export function sizeOf({ get }: Call, name: string, otherwise: number, most: number): number {
  const value = Number(get(name) ?? otherwise)
  if (!Number.isInteger(value) || value < 1) throw invalid(name)
  return Math.min(value, most)
}

/** A list with numbered pages, behind tokens that say nothing. */
export function paged<Item>(
  call: Call,
  items: readonly Item[],
  size: number,
): { page: Item[]; nextPageToken?: string } {
  const token = call.get('pageToken')
  const offset = token === undefined ? 0 : Number(Buffer.from(token, 'base64url').toString().replace(/^at:/, ''))
  if (!Number.isInteger(offset)) throw invalid('pageToken')
  const end = offset + size
  return {
    page: items.slice(offset, end),
    ...(end < items.length && { nextPageToken: Buffer.from(`at:${end}`).toString('base64url') }),
  }
}
