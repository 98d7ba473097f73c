import { grantedScopes } from '#model/accounts/profile.ts'
import type { Auth } from './auth.ts'

/** What a person gave, as far as the service said it; without `scope`, it did not. */
export interface Given {
  scope?: string | undefined
}

/**
 * The first of the scopes that something needs which the person did not give, neither itself nor within a wider one; undefined if
 * nothing is missing. Where the service does not say what was given, its answer to a call does: `not_granted` of `api.recovery`, or `lacksScope`.
 */
export function missingGrant(
  auth: Auth,
  needed: readonly string[] | undefined,
  given: Given | undefined,
): string | undefined {
  const granted = grantedScopes(given ?? {})
  if (granted === undefined) return undefined
  const includes = auth.kind === 'oauth2' ? auth.scope.includes : undefined
  const held = new Set(granted.flatMap((each) => [each, ...(includes?.[each] ?? [])]))
  return needed?.find((each) => !held.has(each))
}

interface Answer {
  status: number
  headers: Record<string, string>
}

/** Whether a service refused a call, in the words of RFC 6750, because the person did not give what it needs. */
export function lacksScope({ status, headers }: Answer): boolean {
  return (status === 401 || status === 403) && INSUFFICIENT.test(headers['www-authenticate'] ?? '')
}

const INSUFFICIENT = /\berror="?insufficient_scope\b/i

/** Whether a sign-in decides what a service of OAuth 1 gives, by its flags; otherwise nobody says. */
export function decidesByFlag(auth: Auth): boolean {
  return auth.kind === 'oauth1' && Object.values(auth.flags).some(({ scope = [] }) => scope.length > 0)
}

/**
 * Whether revoking at the service may end tokens of other sign-ins. Never where people choose a tenant: the grant is that of all of
 * their profiles.
 */
export function mayEndGrant(auth: Auth): boolean {
  if (auth.kind === 'oauth2' && auth.tenants !== undefined) return false
  return (auth.kind === 'oauth1' || auth.kind === 'oauth2') && auth.revokeEnds === 'grant'
}
