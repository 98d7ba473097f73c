import type { Credential, RevocationScope } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { RevocationResult } from '#model/accounts/revocation.ts'
import { reasonOf } from '#platform/errors.ts'
import { locateService } from './addresses/addresses.ts'
import { withFactAddress } from './addresses/fact-address.ts'
import { revokeAccessToken } from './oauth1/tokens.ts'
import { refresh, SubjectChangedError } from './oauth2/refresh.ts'
import { revoke } from './oauth2/revoke.ts'
import { UpstreamError } from './request/errors.ts'
import { type Upstream, withDeadline } from './request/send.ts'
import type { ServiceKey } from './request/service-key.ts'
import { refreshTyped } from './typed/exchange.ts'
import { revokeAppPassword } from './typed/revoke-app-password.ts'

export interface CredentialOfService {
  connector: Connector
  key: ServiceKey
  credential: Credential
}

const ABANDONED_REVOCATION_MS = 5000

/** Deadline for all calls of one refresh together, shorter than the refresh lease. */
export const REFRESH_TIMEOUT_MS = 30_000

/**
 * Refreshes a credential. The caller ensures that only one process at a time does this for a grant, and stores the
 * result before it is used.
 */
export async function refreshCredential(
  upstream: Upstream,
  { connector, key, credential }: CredentialOfService,
): Promise<Credential> {
  const { auth } = connector
  if (auth.kind === 'typed')
    return refreshTyped(withDeadline(upstream, REFRESH_TIMEOUT_MS), { connector, key, credential, auth })
  if (auth.kind !== 'oauth2')
    throw new UpstreamError('reauthorize', 'Credentials of this service cannot be refreshed', {
      reason: 'no_refresh_token',
    })
  const bounded = withDeadline(upstream, REFRESH_TIMEOUT_MS)
  const location = await locateService(bounded, { connector, key, instance: credential.instance })
  try {
    return relocated(
      upstream,
      { connector, key, credential },
      await refresh(bounded, { auth, key, location, credential }),
    )
  } catch (error) {
    if (error instanceof SubjectChangedError)
      await revokeAbandoned(upstream, { connector, key, credential: { ...credential, ...error.fresh } })
    throw error
  }
}

/** With the address that the response names; with the one before if that is refused, because the tokens must be stored. */
function relocated(
  upstream: Upstream,
  { connector, key, credential }: CredentialOfService,
  fresh: Credential,
): Credential {
  try {
    return withFactAddress(connector, key, fresh)
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    upstream.log.warn('a refreshed credential names another API address, which is refused', {
      service: connector.service,
    })
    const { facts, instance } = credential
    return { ...fresh, ...(facts && { facts }), ...(instance && { instance }) }
  }
}

/**
 * Ends a token that will not be stored. Nobody knows whose it is, so everything else that the app has of the person
 * stays. If that fails, the token stays valid at the service, and a warning is logged.
 */
export async function revokeAbandoned(upstream: Upstream, abandoned: CredentialOfService): Promise<void> {
  const warn = (reason: string) =>
    upstream.log.warn('an abandoned token could not be ended', { service: abandoned.connector.service, reason })
  try {
    const result = await revokeCredential(withDeadline(upstream, ABANDONED_REVOCATION_MS), abandoned, 'token')
    if (result === 'refused') warn(result)
  } catch (error) {
    warn(error instanceof UpstreamError ? error.reason : reasonOf(error))
  }
}

/**
 * Revokes at the service, if it supports that: the tokens of this sign-in, or the app's whole access to the person. With
 * `nothing`, only says whether it could.
 */
export async function revokeCredential(
  upstream: Upstream,
  { connector, key, credential }: CredentialOfService,
  scope: RevocationScope | 'nothing',
): Promise<RevocationResult> {
  const { auth } = connector
  if (auth.kind === 'app_password') return revokeAppPassword({ upstream, connector, key, credential }, auth, scope)
  if (auth.kind !== 'oauth1' && auth.kind !== 'oauth2') return 'not_offered'
  const location = await locateService(upstream, { connector, key, instance: credential.instance })
  if (auth.kind === 'oauth2') return revoke(upstream, { auth, key, location, credential, scope })
  const { token, tokenSecret } = credential
  return revokeAccessToken(upstream, { auth, key, ...location }, { token, tokenSecret }, scope)
}
