import { endSubscriptions, scheduleEnd } from '#access/end-subscriptions.ts'
import type { Credential } from '#kit/auth/auth.ts'
import type { Account } from '#model/accounts/account.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { profileName } from '#model/accounts/profile-name.ts'
import type { RevocationResult } from '#model/accounts/revocation.ts'
import { ApiError } from '#model/errors.ts'
import { shardOf } from '#platform/crypto/ids.ts'
import { SealError } from '#platform/crypto/sealing.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { auditAccount } from '#store/audit.ts'
import { leaveProfiles, revokeAllTokens } from '#store/identity/access-tokens.ts'
import { deleteAccount, lockAccount } from '#store/identity/accounts.ts'
import { removeAgentGrants } from '#store/identity/agent-grants.ts'
import { removeConnectSessions } from '#store/identity/connect-sessions.ts'
import { removeConnectionsSessions } from '#store/identity/connections-sessions.ts'
import { type CredentialKey, deleteCredential, findCredential } from '#store/identity/credentials.ts'
import { addErasedProfiles, type DeletionRequest } from '#store/identity/deletion-requests.ts'
import { erasePeopleDecisions, forgetDecidedUsers, peopleRevision } from '#store/identity/people-decisions.ts'
import { deleteProfile, listAllProfiles, listProfiles, listProfilesByName } from '#store/identity/profiles.ts'
import { removeProxyTokens, removeTokensOfProfiles } from '#store/identity/proxy-tokens.ts'
import { removeReconnectLinks } from '#store/identity/reconnect-links.ts'
import { forgetServiceUser, type ServiceUser } from '#store/identity/service-users.ts'
import { eraseProfileItems } from '#store/items/items.ts'
import type { ProfileKey } from '#store/keys/profile-key.ts'
import { eraseLogOf } from '#store/log/erase-log.ts'
import { markDeliveriesErased } from '#store/push/cursors.ts'
import { queueEvent, queueProfileEvent } from '#store/push/events.ts'
import { removeEndpoints } from '#store/sync/endpoints.ts'
import { eraseHookRecords } from '#store/sync/hook-records.ts'
import { eraseSubscriptions } from '#store/sync/hook-subscriptions.ts'
import { removeSchedule } from '#store/sync/schedule.ts'
import { eraseUploads } from '#store/sync/uploads.ts'
import type { IdentityDeps, LoggedDeps } from './deps.ts'
import { inLockOrder } from './lock-order.ts'
import { revokeUnneeded } from './revoke-token.ts'

/** What was done with one profile. */
export interface Disconnected {
  profile: string
  erased: true
  /** What was done at the service. */
  service_token: RevocationResult
}

/** Disconnects the profiles that `service` or `id@service` names exactly. */
export async function disconnectProfiles(
  deps: IdentityDeps,
  account: Account,
  name: string,
  actor = actorOf(account),
): Promise<Disconnected[]> {
  const erased = await deps.database.transaction(async (tx) => {
    const locked = await lockOwnAccount(tx, account)
    const chosen = await listProfilesByName(tx, deps.registry, locked, name)
    if (chosen.length === 0) throw new ApiError('no_profile')
    return eraseSome(deps, tx, locked, chosen, actor)
  })
  return revokeAll(deps, erased)
}

/** Erases the profile of a service user in one account, at the request of the service; the request records it. */
export async function eraseServiceUser(
  deps: IdentityDeps,
  { service, nativeId }: ServiceUser,
  accountId: string,
  request: Pick<DeletionRequest, 'shard' | 'hash'>,
): Promise<number> {
  const erased = await deps.database.transaction(async (tx) => {
    const shard = shardOf(accountId)
    const locked = shard === undefined ? undefined : await lockAccount(tx, shard, accountId)
    if (locked === undefined) return []
    const profiles = await listProfiles(tx, locked)
    const chosen = profiles.filter((each) => each.service === service && each.nativeId === nativeId)
    await addErasedProfiles(
      tx,
      request,
      chosen.map(({ id }) => id),
    )
    return eraseSome(deps, tx, locked, chosen, `service:${service}`)
  })
  await revokeAll(deps, erased)
  return erased.length
}

/** Deletes every profile, the account and all its access tokens. */
export async function deleteWholeAccount(
  deps: LoggedDeps,
  account: Account,
  actor = actorOf(account),
): Promise<{ deleted: Disconnected[]; erasedAt: number }> {
  const { erased, erasedAt } = await deps.database.transaction(async (tx) => {
    return eraseAccount(deps, tx, await lockOwnAccount(tx, account), actor)
  })
  // Outside the transaction: sign-ins are logged in any shard.
  await eraseLog(deps, account)
  return { deleted: await revokeAll(deps, erased), erasedAt }
}

/** What this process has not written yet must not appear afterwards. */
export async function eraseLog(
  { database, operations }: LoggedDeps,
  account: Pick<Account, 'id' | 'shards'>,
): Promise<void> {
  await operations.flush()
  await eraseLogOf(database, account)
}

/**
 * Deletes all rows of an account that the transaction has locked. The caller revokes the credentials, before or after.
 */
export async function eraseAccount(
  deps: IdentityDeps,
  tx: Queries,
  locked: Account,
  actor: string,
): Promise<{ erased: Erased[]; erasedAt: number }> {
  const erased = await eraseProfiles(deps, tx, locked, await listProfiles(tx, locked), actor)
  // The rest are the profiles of the app's own items, which `listProfiles` omits.
  for (const own of await listAllProfiles(tx, locked))
    for (const key of await deleteProfile(tx, own, locked.shards)) await eraseStored(tx, key, deps.clock.now())
  await revokeAllTokens(tx, locked, deps.clock.now())
  await removeAgentGrants(tx, locked)
  await removeProxyTokens(tx, locked)
  await erasePeopleDecisions(tx, locked)
  await removeConnectionsSessions(tx, locked)
  await removeConnectSessions(tx, locked)
  await deleteAccount(tx, locked)
  // What the audit log says is what a repeated request says.
  const erasedAt = deps.clock.now()
  await queueEvent(tx, locked.appId, 'account.erased', erasedAt, { account: locked.id })
  await auditAccount(tx, locked, { at: erasedAt, actor, action: 'account.delete' })
  return { erased, erasedAt }
}

async function lockOwnAccount(tx: Queries, account: Account): Promise<Account> {
  const locked = await lockAccount(tx, account.shard, account.id)
  // Merged or deleted after the token was verified.
  if (locked === undefined) throw new ApiError('token_invalid')
  return locked
}

export interface Erased {
  profile: Profile
  /** Undefined if there was none, or if it cannot be opened. */
  credential: Credential | undefined
}

/** Erases some profiles of an account that stays. Of services without a profile nothing is left, also not who a decision is about. */
async function eraseSome(
  deps: IdentityDeps,
  tx: Queries,
  account: Account,
  profiles: Profile[],
  actor: string,
): Promise<Erased[]> {
  const erased = await eraseProfiles(deps, tx, account, profiles, actor)
  const ids = profiles.map(({ id }) => id)
  await leaveProfiles(tx, account, ids)
  await removeTokensOfProfiles(tx, account, ids)
  if ((await peopleRevision(tx, account)) > 0) {
    const left = new Set((await listProfiles(tx, account)).map(({ service }) => service))
    const services = profiles.map(({ service }) => service).filter((service) => !left.has(service))
    await forgetDecidedUsers(tx, account, services)
  }
  return erased
}

/** Erases before the credential is revoked: a service that hangs must not delay the erasure. */
async function eraseProfiles(
  deps: IdentityDeps,
  tx: Queries,
  account: Account,
  profiles: Profile[],
  actor: string,
): Promise<Erased[]> {
  const erased: Erased[] = []
  for (const profile of profiles) {
    const key = { shard: profile.shard, profileId: profile.id }
    const credential = await credentialOf(deps, tx, key)
    erased.push({ profile, credential })
    await deleteCredential(tx, key)
    // Before the schedule is deleted, which has the time of the last event.
    await queueProfileEvent(tx, profile, 'profile.disconnected', deps.clock.now(), {
      by: /^(app|service|person)(?=:|$)/.exec(actor)?.[1] ?? 'operator',
    })
    for (const deleted of await deleteProfile(tx, profile, account.shards)) {
      await eraseStored(tx, deleted, deps.clock.now())
      // A profile that was merged into this one shared its subscriptions.
      if (deleted.profileId !== profile.id) await eraseSubscriptions(tx, { ...profile, ...deleted })
    }
    // After the schedule is deleted: no subscription is added then.
    await scheduleEnd(deps, tx, profile, credential)
    await auditAccount(tx, account, {
      at: deps.clock.now(),
      actor,
      action: 'profile.disconnect',
      detail: { profile: profileName(profile) },
    })
  }
  for (const { appId, service, nativeId } of inLockOrder(profiles))
    await forgetServiceUser(tx, { appId, service, nativeId }, account.id)
  return erased
}

/**
 * Deletes items, endpoints and schedule, and queues the erasure for every destination. A running sync loses its lease
 * and writes nothing more.
 */
async function eraseStored(tx: Queries, key: ProfileKey, nowMs: number): Promise<void> {
  await markDeliveriesErased(tx, key, nowMs)
  await removeReconnectLinks(tx, key)
  await removeSchedule(tx, key)
  await removeEndpoints(tx, key)
  await eraseHookRecords(tx, key)
  await eraseUploads(tx, key)
  await eraseProfileItems(tx, key)
}

export async function credentialOf(
  deps: IdentityDeps,
  tx: Queries,
  key: CredentialKey,
): Promise<Credential | undefined> {
  try {
    const stored = await findCredential(tx, deps.keyring, key)
    return stored && (JSON.parse(stored.value) as Credential)
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    deps.log.error('a credential cannot be opened, so it is not revoked', { error })
    return undefined
  }
}

function revokeAll(deps: IdentityDeps, erased: Erased[]): Promise<Disconnected[]> {
  return Promise.all(
    erased.map(async ({ profile, credential }) => {
      const renewed = await endSubscriptions(deps, profile)
      return {
        profile: profileName(profile),
        erased: true as const,
        service_token: await revokeUnneeded(deps, { ...profile, credential: renewed ?? credential }),
      }
    }),
  )
}

function actorOf({ appId }: Account): string {
  return `app:${appId}`
}
