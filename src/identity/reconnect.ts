import type { SignedIn } from '#kit/auth/auth.ts'
import { mayFindAccount } from '#kit/connector/who-vouches.ts'
import { type Profile, sourceOf } from '#model/accounts/profile.ts'
import { profileName } from '#model/accounts/profile-name.ts'
import { ApiError } from '#model/errors.ts'
import { shardIn } from '#platform/crypto/ids.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { keepAppFromDeletion } from '#store/apps/deletions.ts'
import { auditAccount } from '#store/audit.ts'
import { lockAccount } from '#store/identity/accounts.ts'
import { findProfile, listProfiles } from '#store/identity/profiles.ts'
import { removeReconnectLinks, takeReconnectLink } from '#store/identity/reconnect-links.ts'
import { pointServiceUser } from '#store/identity/service-users.ts'
import { putProfile } from './connect-profile.ts'
import type { IdentityDeps } from './deps.ts'
import { AuthorizeError } from './errors.ts'
import type { Reconnecting } from './pending-value.ts'
import { revokeReplaced, type UnneededToken } from './revoke-token.ts'

export interface ReconnectInput {
  appId: string
  service: string
  signedIn: SignedIn
  reconnect: Reconnecting
}

/** Fails unless the same service user came back, or the same source was named. */
export async function checkServiceUser(
  { database }: Pick<IdentityDeps, 'database'>,
  { signedIn, reconnect }: Pick<ReconnectInput, 'signedIn' | 'reconnect'>,
): Promise<void> {
  const profile = await findProfile(database, shardIn(reconnect.profileId), reconnect.profileId)
  if (profile === undefined) throw new AuthorizeError('session_expired')
  if (sourceOf(profile) !== signedIn.self.id) throw new AuthorizeError('other_service_user')
}

/** In a transaction of its own. Throws when the link was used, or the profile disconnected, meanwhile. */
export async function reconnectNow(deps: IdentityDeps, input: ReconnectInput): Promise<Profile> {
  const reconnected = await deps.database.transaction((tx) => applyReconnect(deps, tx, input))
  if (reconnected === undefined) throw new AuthorizeError('session_expired')
  if (reconnected.replaced !== undefined) revokeReplaced(deps, reconnected.replaced)
  return reconnected.profile
}

/**
 * Stores the new credential and ends every link to the profile. The app asked for this when it created the link, so no
 * code is exchanged and no access token issued. Undefined if the link was used, or the profile is gone or has moved.
 */
export async function applyReconnect(
  deps: IdentityDeps,
  tx: Queries,
  { appId, service, signedIn, reconnect }: ReconnectInput,
): Promise<{ profile: Profile; replaced: UnneededToken | undefined } | undefined> {
  if (!(await keepAppFromDeletion(tx, appId))) throw new ApiError('client_unknown')
  const { shard, id } = { shard: shardIn(reconnect.profileId), id: reconnect.profileId }
  const before = await findProfile(tx, shard, id)
  const account = before && (await lockAccount(tx, shardIn(before.accountId), before.accountId))
  // Read again under the lock of the account.
  const target = account && (await listProfiles(tx, account)).find((each) => each.id === id)
  if (account === undefined || target === undefined || sourceOf(target) !== signedIn.self.id) return undefined
  if (!(await takeReconnectLink(tx, reconnect.shard, Buffer.from(reconnect.link, 'hex')))) return undefined
  const now = deps.clock.now()
  if (mayFindAccount(deps.registry, service))
    await pointServiceUser(tx, { appId, service, nativeId: target.nativeId }, account.id, now)
  const { profile, replaced } = await putProfile(deps, tx, account, { service, signedIn, again: target })
  await removeReconnectLinks(tx, { shard, profileId: id })
  const detail = { profile: profileName(profile), scope: profile.scope }
  await auditAccount(tx, account, { at: now, actor: 'person', action: 'profile.reconnect', detail })
  return { profile, replaced }
}
