import { first } from '../base/pairs.ts'
import type { Person } from '../base/people.ts'
import { json, Refusal } from '../base/reply.ts'
import { formOf, type LabRequest } from '../base/request.ts'
import type { OAuth2Parts } from './server-parts.ts'

export interface Caller {
  person: Person
  scopes: readonly string[]
  /** The app that the token was issued to. */
  client: { key: string; secret: string }
  /** Ends the grant of the token: all tokens of one sign-in. */
  endGrant: () => void
}

/** RFC 6750: the caller, or the error response of a strict resource server. */
export function bearerGuard(parts: OAuth2Parts, request: LabRequest, scope?: string): Caller {
  const given = presented(parts, request)
  if (given.length > 1) throw refusal(400, 'invalid_request', 'The access token is given in more than one way')
  if (given[0] === undefined) throw refusal(401)
  const token = parts.grants.token(given[0])
  if (!token || token.kind !== 'access' || !parts.grants.isActive(token))
    throw refusal(401, 'invalid_token', 'The access token is unknown, expired or revoked')
  if (scope !== undefined && !token.scopes.includes(scope))
    throw refusal(403, 'insufficient_scope', `The scope ${scope} was not granted`, scope)
  const { grant } = token
  return {
    person: grant.person,
    scopes: token.scopes,
    client: grant.client,
    endGrant: () => {
      grant.revoked = true
    },
  }
}

function presented(parts: OAuth2Parts, request: LabRequest): string[] {
  const { bearer, bearerQueryParam } = parts.settings
  const found: (string | undefined)[] = []
  if (bearer.includes('header'))
    found.push(/^Bearer ([A-Za-z0-9\-._~+/]+=*)$/i.exec(request.headers.authorization ?? '')?.[1])
  if (bearer.includes('query')) found.push(first(request.query, bearerQueryParam))
  if (bearer.includes('body')) found.push(first(formOf(request), 'access_token'))
  return found.filter((token) => token !== undefined)
}

function refusal(status: number, error?: string, description?: string, scope?: string): Refusal {
  const details = [
    'realm="lab"',
    ...(error === undefined ? [] : [`error="${error}"`, `error_description="${description}"`]),
    ...(scope === undefined ? [] : [`scope="${scope}"`]),
  ]
  return new Refusal(
    json(
      status,
      { error: error ?? 'unauthorized', message: description ?? 'An access token is needed' },
      { 'www-authenticate': `Bearer ${details.join(', ')}` },
    ),
  )
}
