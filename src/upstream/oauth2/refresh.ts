import type { Credential, OAuth2 } from '#kit/auth/auth.ts'
import type { ServiceLocation } from '../addresses/addresses.ts'
import { appValues } from '../addresses/placeholder-values.ts'
import { tokenFacts } from '../facts.ts'
import { UpstreamError } from '../request/errors.ts'
import { fillParameters } from '../request/fill-placeholders.ts'
import type { Upstream } from '../request/send.ts'
import type { ServiceKey } from '../request/service-key.ts'
import { requireToken } from './require-token.ts'
import { exchangeToken } from './token-exchange.ts'
import { nonceUrlOf, requestAsApp, type TokenReply } from './token-request.ts'

export interface RefreshInput {
  auth: OAuth2
  key: ServiceKey
  location: ServiceLocation
  credential: Credential
}

/** The refreshed token belongs to another person, so it must not be stored. */
export class SubjectChangedError extends UpstreamError {
  /** The tokens to revoke. */
  readonly fresh: Pick<Credential, 'token' | 'refreshToken'>

  constructor({ token, refreshToken }: Pick<Credential, 'token' | 'refreshToken'>) {
    super('reauthorize', 'The refreshed token belongs to another person', { reason: 'subject_changed' })
    this.fresh = refreshToken === undefined ? { token } : { token, refreshToken }
  }
}

type Owned = Pick<Credential, 'token' | 'refreshToken' | 'subject'>

// With own servers, every token response names the person; many other services do not repeat it.
function requireSameOwner<Fresh extends Owned>(auth: OAuth2, before: Owned, fresh: Fresh): Fresh {
  const mayOmitSubject = fresh.subject === undefined && auth.home === undefined
  if (before.subject === undefined || mayOmitSubject || fresh.subject === before.subject) return fresh
  throw new SubjectChangedError(fresh)
}

/** Refreshes a credential. Called by one process at a time for each grant; the result is stored before it is used. */
export async function refresh(upstream: Upstream, input: RefreshInput): Promise<Credential> {
  const { auth, credential } = input
  if (credential.refreshToken === undefined) {
    if (auth.renew)
      return requireSameOwner(auth, credential, await exchangeToken(upstream, { ...input, tokenExchange: auth.renew }))
    throw new UpstreamError('reauthorize', 'The credential has no refresh token', { reason: 'no_refresh_token' })
  }
  try {
    return await refreshWith(upstream, input, credential.refreshToken)
  } catch (error) {
    const previous = credential.previousRefreshToken
    if (previous === undefined || !(error instanceof UpstreamError) || error.recovery !== 'reauthorize') throw error
    if (error instanceof SubjectChangedError) throw error
    // If the response of a rotation was lost, the service may still accept the previous refresh token; otherwise the
    // grant is lost.
    return refreshWith(upstream, input, previous).catch((second: unknown) => {
      throw second instanceof UpstreamError && second.recovery === 'retry' ? second : error
    })
  }
}

async function refreshWith(upstream: Upstream, input: RefreshInput, refreshToken: string): Promise<Credential> {
  const { auth, key, location, credential } = input
  const { addresses } = location
  const parameters = {
    grant_type: 'refresh_token',
    [auth.names.refresh_token ?? 'refresh_token']: refreshToken,
    ...(auth.scope.atToken && credential.scope !== undefined ? { [auth.scope.name]: credential.scope } : {}),
    ...fillParameters(auth.parameters.refresh, { ...appValues(key), secret: key.secret, token: credential.token }),
  }
  const reply = await requestAsApp(upstream, {
    auth,
    key,
    url: addresses.refreshUrl ?? addresses.tokenUrl,
    trust: location.trust,
    parameters,
    audience: addresses.issuer ?? addresses.tokenUrl,
    dpopKey: credential.dpopKey,
    method: auth.tokenMethod,
    body: auth.tokenBody,
    nonceUrl: nonceUrlOf(auth, location),
  })
  const secrets = [key.secret, refreshToken, credential.token]
  const dpop = credential.dpopKey !== undefined
  const { tokenType: _, ...fresh } = requireToken(reply, { auth, what: 'refresh', isRefresh: true, secrets, dpop })
  requireSameOwner(auth, credential, fresh)
  const { expiresAt: _old, previousRefreshToken: _before, ...rest } = credential
  const rotated = fresh.refreshToken !== undefined && fresh.refreshToken !== refreshToken
  // The service may have moved the person since the sign-in.
  const facts = { ...credential.facts, ...refreshedFacts(auth, reply) }
  return {
    ...rest,
    refreshToken,
    ...fresh,
    ...(Object.keys(facts).length === 0 ? {} : { facts }),
    ...(rotated ? { previousRefreshToken: refreshToken } : {}),
  }
}

/** The facts of the response, or those before: the tokens must be stored whatever came with them, or the grant is lost. */
function refreshedFacts(auth: OAuth2, { fields }: TokenReply): Record<string, string> {
  try {
    return tokenFacts(auth.facts, fields, auth.tokenPath)
  } catch (error) {
    if (error instanceof UpstreamError) return {}
    throw error
  }
}
