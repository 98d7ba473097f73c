import { apiErrorOf } from '#access/api-errors.ts'
import { keyFor } from '#access/service-key.ts'
import { type ConnectedProfile, connectProfile, issueTokenFor } from '#identity/connect-profile.ts'
import type { IdentityDeps } from '#identity/deps.ts'
import { awaitGrantRevocation, revokeReplaced } from '#identity/revoke-token.ts'
import { appProofOf } from '#kit/auth/app-proof.ts'
import { type Credential, type SignedIn } from '#kit/auth/auth.ts'
import { mayEndGrant } from '#kit/auth/granted.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { IDENTITY_RULES } from '#kit/connector/who-vouches.ts'
import type { App } from '#model/apps/app.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import { randomShard } from '#platform/crypto/ids.ts'
import type { Queries } from '#platform/postgres/database.ts'
import type { OpenServiceKey } from '#store/apps/service-keys.ts'
import { grantRevocationSince } from '#store/identity/grant-revocations.ts'
import { findProfile } from '#store/identity/profiles.ts'
import type { ServiceUser } from '#store/identity/service-users.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { verifyCredential } from '#upstream/sign-in.ts'
import { credentialOfTyped } from '#upstream/typed/credential.ts'
import { credentialOf, type GivenTokens, typedValuesOf } from './apply-input.ts'
import { namedInstance } from './apply-instance.ts'
import {
  type AppliedProfile,
  type ClaimedToken,
  claimRefreshToken,
  isRefused,
  mustRefresh,
  refreshClaimed,
} from './apply-refresh-token.ts'

export interface Application extends GivenTokens {
  service: string
  account?: string | undefined
}

export interface Applied extends ConnectedProfile {
  /** The service confirmed that it issued the token to this app. */
  appVerified: boolean
}

interface Applicable {
  app: App
  connector: Connector
  key: OpenServiceKey
  account: string | undefined
}

/** Connects a profile with tokens that the app obtained elsewhere. The service must say whom they belong to. */
export async function applyToken(deps: IdentityDeps, app: App, input: Application): Promise<Applied> {
  const described = deps.registry.find(input.service)
  if (described === undefined) throw new ApiError('service_unknown')
  const key = await keyFor(deps, app.id, described)
  if (key === undefined) throw new ApiError('no_service_keys')
  const { connector, instance } = namedInstance(described, key, input.instance) ?? { connector: described }
  const target: Applicable = { app, connector, key, account: input.account }
  const values = typedValuesOf(connector, input)
  const given = values === undefined ? credentialOf(connector, key, input, instance) : undefined
  // A refresh token works only for the app that it was issued to, so a successful refresh proves that.
  const isProvenByRefresh = given?.refreshToken !== undefined && key.secret !== ''
  const proven = appProofOf(connector.auth) !== 'none'
  if (!proven && !isProvenByRefresh && app.apply === 'proven') throw unproven(app, connector)
  if (given?.refreshToken !== undefined) return applyRefreshToken(deps, target, given, proven)
  const credential =
    given ?? (await credentialOfTyped(deps.upstream, { connector, key, values: values ?? {} }).catch(throwApiError))
  return finished(deps, await connectVerified(deps, target, credential))
}

/** Says what to do: who may vouch instead of the service. */
function unproven({ id }: App, { title, auth }: Connector): ApiError {
  const refresh = auth.kind === 'oauth2' ? ' Send its refresh_token too, which works for one app only.' : ''
  return new ApiError(
    'app_unproven',
    `${title} does not say to which app it issued a token, and this app accepts only tokens for which that is confirmed.${refresh} Where only your own server receives the tokens, allow it in the settings of the app, or with: tributary app set ${id} --apply any`,
  )
}

/** The token is refreshed only where it must be: it is missing or refused, or nothing else proves whose app it is. */
async function applyRefreshToken(
  deps: IdentityDeps,
  target: Applicable,
  given: Credential,
  proven: boolean,
): Promise<Applied> {
  const { app, connector, key } = target
  const claimed = await claimRefreshToken(deps, { app, connector, key, credential: given })
  try {
    const before = claimed.profile && (await appliedBefore(deps, target, claimed.profile))
    if (before !== undefined) return { ...before, appVerified: proven || key.secret !== '' }
    const isRotated = claimed.credential.refreshToken !== given.refreshToken
    const needsProof = !proven && app.apply === 'proven' && !isRotated
    const refreshed = async () => {
      const renewed = await refreshClaimed(deps, { app, connector, key }, claimed).catch(throwApiError)
      return connectVerified(deps, target, renewed, { token: claimed, isProven: key.secret !== '' })
    }
    const isStale = mustRefresh(deps, claimed.credential)
    const connected = await (needsProof || isStale
      ? refreshed()
      : connectVerified(deps, target, claimed.credential, {
          token: claimed,
          isProven: isRotated && key.secret !== '',
        }).catch((error: unknown) => {
          if (!(error instanceof ApiError) || !isRefused(error.cause)) throw error
          return refreshed()
        }))
    return finished(deps, connected)
  } finally {
    await claimed.release()
  }
}

/** The same request connected a profile before: its credential is newer than what was sent, so only a token is issued. */
async function appliedBefore(
  deps: IdentityDeps,
  { account }: Applicable,
  at: AppliedProfile,
): Promise<ConnectedProfile | undefined> {
  const profile = await findProfile(deps.database, at.shard, at.profileId)
  if (profile === undefined || profile.state === 'needs_auth') return undefined
  if (account !== undefined && account !== profile.accountId)
    throw invalidInput('bad_parameter', 'account', 'is another one than that of the profile with this refresh token.')
  return deps.database.transaction((tx) => issueTokenFor(deps, tx, profile))
}

function finished(deps: IdentityDeps, connected: Applied | undefined): Applied {
  if (connected === undefined) throw new ApiError('not_found', 'There is no such account.')
  if (connected.replaced !== undefined) revokeReplaced(deps, connected.replaced)
  return connected
}

function throwApiError(error: unknown): never {
  throw error instanceof UpstreamError ? apiErrorOf(error, 'unverified') : error
}

/** Rolls back the transaction: the token may have ended since it was verified. */
class GrantRevokedMeanwhile extends Error {
  readonly user: ServiceUser

  constructor(user: ServiceUser) {
    super('The grant was revoked meanwhile')
    this.user = user
  }
}

/** Verifies and connects; after a revocation that ran meanwhile once more. `isProven`: the token was just refreshed for this app. */
async function connectVerified(
  deps: IdentityDeps,
  { app, connector, key, account }: Applicable,
  credential: Credential,
  { token: claimed, isProven }: { token?: ClaimedToken; isProven: boolean } = { isProven: false },
): Promise<Applied | undefined> {
  for (;;) {
    const beganAt = deps.clock.now()
    const signedIn = await verifyCredential(deps.upstream, { connector, key, credential }).catch(throwApiError)
    const appVerified = signedIn.appVerified || isProven
    if (!appVerified && app.apply === 'proven') throw unproven(app, connector)
    try {
      return await deps.database.transaction(async (tx) => {
        const connected = await connect(deps, tx, app, connector, { signedIn, account, beganAt })
        const profile = connected?.profile
        if (profile !== undefined) await claimed?.connected(tx, { shard: profile.shard, profileId: profile.id })
        return connected && { ...connected, appVerified }
      })
    } catch (error) {
      if (!(error instanceof GrantRevokedMeanwhile)) throw error
      await awaitGrantRevocation(deps, connector, error.user, beganAt)
    }
  }
}

async function connect(
  deps: IdentityDeps,
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
    account:
      account === undefined
        ? { how: IDENTITY_RULES.app.findsAccount ? 'found' : 'new' }
        : { how: 'given', id: account },
    shard: randomShard(),
  })
  const user = { appId: app.id, service, nativeId: signedIn.self.id }
  // The row of the service user is locked now: a revocation that is announced later waits for this transaction.
  const revocation = mayEndGrant(auth) ? await grantRevocationSince(tx, user, beganAt, deps.clock.now()) : undefined
  if (revocation !== undefined) throw new GrantRevokedMeanwhile(user)
  return connected
}
