import type { Credential } from '#kit/auth.ts'
import type { Connector } from '#kit/connector.ts'
import { reasonOf } from '#platform/errors.ts'
import { locateService } from './addresses.ts'
import { UpstreamError } from './errors.ts'
import { revokeAccessToken } from './oauth1/tokens.ts'
import { refresh, SubjectChangedError } from './oauth2/refresh.ts'
import { type RevokeOutcome, revoke } from './oauth2/revoke.ts'
import { type Upstream, withDeadline } from './send.ts'
import type { ServiceKey } from './service-key.ts'

export interface HeldCredential {
  connector: Connector
  key: ServiceKey
  credential: Credential
}

const CLEAN_UP_MS = 5000

/** For all calls of one refresh together, so that the lease of the one process that does it outlives them. */
export const REFRESH_MS = 30_000

/**
 * A fresh credential in place of an expiring one. The caller makes sure that one process at a time does this for a grant,
 * and stores the answer before anything uses it.
 */
export async function refreshCredential(
  upstream: Upstream,
  { connector, key, credential }: HeldCredential,
): Promise<Credential> {
  const { auth } = connector
  if (auth.kind !== 'oauth2')
    throw new UpstreamError('reauthorize', 'Credentials of this service cannot be refreshed', {
      reason: 'no_refresh_token',
    })
  const bounded = withDeadline(upstream, REFRESH_MS)
  const location = await locateService(bounded, { connector, key, instance: credential.instance })
  try {
    return await refresh(bounded, { auth, key, location, credential })
  } catch (error) {
    if (error instanceof SubjectChangedError)
      await giveUp(upstream, { connector, key, credential: { ...credential, ...error.fresh } })
    throw error
  }
}

/** Ends a grant that nobody will hold. When that fails, the grant lives on at the service, and the log says so. */
export async function giveUp(upstream: Upstream, held: HeldCredential): Promise<void> {
  try {
    await revokeCredential(withDeadline(upstream, CLEAN_UP_MS), held)
  } catch (error) {
    const reason = error instanceof UpstreamError ? error.reason : reasonOf(error)
    upstream.log.warn('a grant that nobody holds could not be revoked', { service: held.connector.service, reason })
  }
}

/** Ends a grant at the service, where the service has a way for that. */
export async function revokeCredential(
  upstream: Upstream,
  { connector, key, credential }: HeldCredential,
): Promise<RevokeOutcome> {
  const { auth } = connector
  if (auth.kind !== 'oauth1' && auth.kind !== 'oauth2') return 'not_supported'
  const location = await locateService(upstream, { connector, key, instance: credential.instance })
  if (auth.kind === 'oauth2') return revoke(upstream, { auth, key, location, credential })
  const { token, tokenSecret } = credential
  return revokeAccessToken(upstream, { auth, key, addresses: location.addresses }, { token, tokenSecret })
}
