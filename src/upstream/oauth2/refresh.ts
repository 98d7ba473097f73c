import type { Credential, OAuth2 } from '#kit/auth.ts'
import type { Place } from '../addresses.ts'
import { UpstreamError } from '../errors.ts'
import type { Upstream } from '../send.ts'
import type { ServiceKey } from '../service-key.ts'
import { fillAll } from './placeholders.ts'
import { tokenIn } from './token-in.ts'
import { askAsApp } from './token-request.ts'
import { trade } from './trade.ts'

export interface RefreshInput {
  auth: OAuth2
  key: ServiceKey
  place: Place
  credential: Credential
}

/** A fresh credential in place of this one. Called by one process at a time for each grant, and stored before it is used. */
export async function refresh(upstream: Upstream, input: RefreshInput): Promise<Credential> {
  const { auth, credential } = input
  if (credential.refreshToken === undefined) {
    if (auth.renew) return trade(upstream, { ...input, trade: auth.renew })
    throw new UpstreamError('reauthorize', 'The service gave no refresh token', { reason: 'no_refresh_token' })
  }
  try {
    return await refreshWith(upstream, input, credential.refreshToken)
  } catch (error) {
    const previous = credential.previousRefreshToken
    if (previous === undefined || !(error instanceof UpstreamError) || error.recovery !== 'reauthorize') throw error
    // A service that rotated without our hearing of it may still take the token before; the grant is lost otherwise.
    return refreshWith(upstream, input, previous).catch((second: unknown) => {
      throw second instanceof UpstreamError && second.recovery === 'retry' ? second : error
    })
  }
}

async function refreshWith(upstream: Upstream, input: RefreshInput, refreshToken: string): Promise<Credential> {
  const { auth, key, place, credential } = input
  const { addresses } = place
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
  if (fresh.subject !== undefined && credential.subject !== undefined && fresh.subject !== credential.subject)
    throw new UpstreamError('reauthorize', 'The refreshed token belongs to somebody else', {
      reason: 'subject_changed',
    })
  const { expiresAt: _old, previousRefreshToken: _before, ...kept } = credential
  const rotated = fresh.refreshToken !== undefined && fresh.refreshToken !== refreshToken
  return { ...kept, refreshToken, ...fresh, ...(rotated ? { previousRefreshToken: refreshToken } : {}) }
}
