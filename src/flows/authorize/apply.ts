import { apiErrorOf } from '#access/api-errors.ts'
import { type Credential, mayEndGrant, type SignedIn, verifiesApp } from '#kit/auth.ts'
import type { Connector } from '#kit/connector.ts'
import type { App } from '#model/app.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import { randomShard } from '#platform/ids.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { findServiceKey } from '#store/apps/service-keys.ts'
import { grantRevocationSince } from '#store/identity/grant-revocations.ts'
import type { ServiceUser } from '#store/identity/service-users.ts'
import { UpstreamError } from '#upstream/errors.ts'
import { type VerifyCredential, verifyCredential } from '#upstream/sign-in.ts'
import { type ConnectedProfile, connectProfile } from './connect-profile.ts'
import type { AuthorizeDeps } from './deps.ts'
import { awaitGrantRevocation, revokeReplaced } from './revoke-token.ts'

export interface Application {
  service: string
  token: string
  tokenSecret?: string | undefined
  account?: string | undefined
}

export interface Applied extends ConnectedProfile {
  /** The service confirmed that it issued the token to this app. */
  appVerified: boolean
}

/** Connects a profile with a token that the app obtained elsewhere. The service must say whom the token belongs to. */
export async function applyToken(deps: AuthorizeDeps, app: App, input: Application): Promise<Applied> {
  const connector = deps.registry.find(input.service)
  if (connector === undefined) throw new ApiError('service_unknown')
  const key = await findServiceKey(deps.database, deps.keyring, app.id, connector.service)
  if (key === undefined) throw new ApiError('no_service_keys')
  if (connector.auth.kind === 'oauth1' && input.tokenSecret === undefined)
    throw invalidInput('bad_parameter', 'token_secret', 'must be given for this service.')
  const credential: Credential = {
    token: input.token,
    ...(input.tokenSecret === undefined ? {} : { tokenSecret: input.tokenSecret }),
  }
  const proven = verifiesApp(connector.auth)
  if (!proven && app.apply === 'proven') throw new ApiError('app_unproven')
  const connected = await connectVerified(deps, app, { connector, key, credential }, input.account)
  if (connected === undefined) throw new ApiError('not_found', 'There is no such account.')
  if (connected.replaced !== undefined) revokeReplaced(deps, connected.replaced)
  return { ...connected, appVerified: proven }
}

/** Rolls back the transaction: the token may have ended since it was verified. */
class GrantRevokedMeanwhile extends Error {
  readonly user: ServiceUser

  constructor(user: ServiceUser) {
    super('The grant was revoked meanwhile')
    this.user = user
  }
}

/** Verifies and connects; after a revocation that ran meanwhile once more. */
async function connectVerified(
  deps: AuthorizeDeps,
  app: App,
  verifiable: VerifyCredential,
  account: string | undefined,
): Promise<ConnectedProfile | undefined> {
  for (;;) {
    const beganAt = deps.clock.now()
    const signedIn = await verifyCredential(deps.upstream, verifiable).catch((error: unknown) => {
      throw error instanceof UpstreamError ? apiErrorOf(error, 'unverified') : error
    })
    try {
      return await deps.database.transaction((tx) =>
        connect(deps, tx, app, verifiable.connector, { signedIn, account, beganAt }),
      )
    } catch (error) {
      if (!(error instanceof GrantRevokedMeanwhile)) throw error
      await awaitGrantRevocation(deps, verifiable.connector, error.user, beganAt)
    }
  }
}

async function connect(
  deps: AuthorizeDeps,
  tx: Queries,
  app: App,
  { service, auth }: Connector,
  { signedIn, account, beganAt }: { signedIn: SignedIn; account: string | undefined; beganAt: number },
): Promise<ConnectedProfile | undefined> {
  const connected = await connectProfile(deps, tx, {
    appId: app.id,
    service,
    signedIn,
    actor: `app:${app.id}`,
    account: account === undefined ? { how: 'new' } : { how: 'given', id: account },
    shard: randomShard(),
  })
  const user = { appId: app.id, service, nativeId: signedIn.self.id }
  // The row of the service user is locked now: a revocation that is announced later waits for this transaction.
  const revocation = mayEndGrant(auth) ? await grantRevocationSince(tx, user, beganAt, deps.clock.now()) : undefined
  if (revocation !== undefined) throw new GrantRevokedMeanwhile(user)
  return connected
}
