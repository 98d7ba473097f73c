import type { Credential, OAuth2 } from '#kit/auth.ts'
import type { ServiceLocation } from '../addresses.ts'
import { UpstreamError } from '../errors.ts'
import type { Upstream } from '../send.ts'
import type { ServiceKey } from '../service-key.ts'
import { fillAll } from './placeholders.ts'
import { tokenExchange } from './token-exchange.ts'
import { tokenIn } from './token-in.ts'
import { askAsApp } from './token-request.ts'

export interface RefreshInput {
  auth: OAuth2
  key: ServiceKey
  location: ServiceLocation
  credential: Credential
}

/** The refreshed token is somebody else's: it must not be kept, whatever else the service says. */
export class SubjectChangedError extends UpstreamError {
  /** What the service gave. */
  readonly fresh: Pick<Credential, 'token' | 'refreshToken'>

  constructor({ token, refreshToken }: Pick<Credential, 'token' | 'refreshToken'>) {
    super('reauthorize', 'The refreshed token belongs to somebody else', { reason: 'subject_changed' })
    this.fresh = refreshToken === undefined ? { token } : { token, refreshToken }
  }
}

type Owned = Pick<Credential, 'token' | 'refreshToken' | 'subject'>

// Where people have servers of their own, every token answer names the person; elsewhere many services do not repeat it.
function sameOwner<Fresh extends Owned>(auth: OAuth2, before: Owned, fresh: Fresh): Fresh {
  const isSilent = fresh.subject === undefined && auth.home === undefined
  if (before.subject === undefined || isSilent || fresh.subject === before.subject) return fresh
  throw new SubjectChangedError(fresh)
}

/** A fresh credential in place of this one. Called by one process at a time for each grant, and stored before it is used. */
export async function refresh(upstream: Upstream, input: RefreshInput): Promise<Credential> {
  const { auth, credential } = input
  if (credential.refreshToken === undefined) {
    if (auth.renew)
      return sameOwner(auth, credential, await tokenExchange(upstream, { ...input, tokenExchange: auth.renew }))
    throw new UpstreamError('reauthorize', 'The service gave no refresh token', { reason: 'no_refresh_token' })
  }
  try {
    return await refreshWith(upstream, input, credential.refreshToken)
  } catch (error) {
    const previous = credential.previousRefreshToken
    if (previous === undefined || !(error instanceof UpstreamError) || error.recovery !== 'reauthorize') throw error
    if (error instanceof SubjectChangedError) throw error
    // A service that rotated without our hearing of it may still take the token before; the grant is lost otherwise.
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
    ...fillAll(auth.parameters.refresh, { key: key.key, secret: key.secret, token: credential.token }),
  }
  const reply = await askAsApp(upstream, {
    auth,
    key,
    url: addresses.refreshUrl ?? addresses.tokenUrl,
    parameters,
    audience: addresses.issuer ?? addresses.tokenUrl,
    dpopKey: credential.dpopKey,
    method: auth.tokenMethod,
    body: auth.tokenBody,
  })
  const secrets = [key.secret, refreshToken, credential.token]
  const dpop = credential.dpopKey !== undefined
  const { tokenType: _, ...fresh } = tokenIn(reply, { auth, what: 'refresh', secrets, dpop })
  sameOwner(auth, credential, fresh)
  const { expiresAt: _old, previousRefreshToken: _before, ...kept } = credential
  const rotated = fresh.refreshToken !== undefined && fresh.refreshToken !== refreshToken
  return { ...kept, refreshToken, ...fresh, ...(rotated ? { previousRefreshToken: refreshToken } : {}) }
}
