import { mayFindAccount } from '#kit/connector/who-vouches.ts'
import type { Account } from '#model/accounts/account.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { profileName } from '#model/accounts/profile-name.ts'
import { ApiError } from '#model/errors.ts'
import { type Keyring, SealError } from '#platform/crypto/sealing.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { auditAccount } from '#store/audit.ts'
import { revokeAllTokens } from '#store/identity/access-tokens.ts'
import { lockAccount, markMerged, setAccountShards } from '#store/identity/accounts.ts'
import { removeAgentGrants } from '#store/identity/agent-grants.ts'
import {
  type CredentialKey,
  deleteCredential,
  findCredential,
  putCredential,
  type StoredCredential,
} from '#store/identity/credentials.ts'
import { movePeopleDecisions } from '#store/identity/people-decisions.ts'
import {
  listAllProfiles,
  listProfiles,
  mergeProfileInto,
  moveProfiles,
  reconnectProfile,
} from '#store/identity/profiles.ts'
import { removeProxyTokens } from '#store/identity/proxy-tokens.ts'
import { mergeServiceUser } from '#store/identity/service-users.ts'
import { moveLogOf } from '#store/log/erase-log.ts'
import { markDeliveriesDue, resendProfile } from '#store/push/cursors.ts'
import { queueEvent } from '#store/push/events.ts'
import { resumeSchedule, unscheduleProfile } from '#store/sync/schedule.ts'
import { accountOf } from './accounts.ts'
import type { IdentityDeps, LoggedDeps } from './deps.ts'
import { credentialOf } from './disconnect.ts'
import { joinOwnItems } from './join-own-items.ts'
import { inLockOrder } from './lock-order.ts'
import { revokeReplaced, type UnneededToken } from './revoke-token.ts'

/**
 * Moves all profiles of the source account to the destination, and ends the source account and its tokens. Items are
 * not rewritten, because they belong to profiles; only own items that both accounts have become one. One transaction over
 * several shards, because merges are rare and must be atomic. Returns the destination, and the id of the account that ended.
 */
export async function mergeAccounts(
  deps: LoggedDeps,
  sourceToken: string,
  destToken: string,
): Promise<Account & { endedId: string }> {
  const [source, dest] = await Promise.all([accountOf(deps, sourceToken), accountOf(deps, destToken)])
  if (source === undefined)
    throw new ApiError(
      'token_invalid',
      'source: the access token is unknown or revoked, or its account was merged into another.',
      {
        param: 'source',
      },
    )
  if (dest === undefined)
    throw new ApiError(
      'token_invalid',
      'dest: the access token is unknown or revoked, or its account was merged into another.',
      { param: 'dest' },
    )
  if (source.appId !== dest.appId) throw new ApiError('other_app')
  if (source.id === dest.id) throw new ApiError('same_account')
  const { account, dropped } = await deps.database.transaction(async (tx) => {
    const [from, to] = await lockBoth(tx, source, dest)
    return merge(deps, tx, from, to)
  })
  for (const token of dropped) revokeReplaced(deps, token)
  await deps.operations.flush()
  await moveLogOf(deps.database, source, account.id)
  return { ...account, endedId: source.id }
}

/** Locks in the order of ids, so that two merges in opposite directions cannot deadlock. */
async function lockBoth(tx: Queries, source: Account, dest: Account): Promise<[Account, Account]> {
  const locked = new Map<string, Account | undefined>()
  for (const { shard, id } of [source, dest].sort((a, b) => (a.id < b.id ? -1 : 1)))
    locked.set(id, await lockAccount(tx, shard, id))
  const [from, to] = [locked.get(source.id), locked.get(dest.id)]
  // One of them was merged or deleted before the lock was acquired.
  if (from === undefined || to === undefined) throw new ApiError('token_invalid')
  return [from, to]
}

async function merge(
  deps: IdentityDeps,
  tx: Queries,
  from: Account,
  to: Account,
): Promise<{ account: Account; dropped: UnneededToken[] }> {
  const now = deps.clock.now()
  const [moving, existing] = [await listProfiles(tx, from), await listProfiles(tx, to)]
  // Includes profiles that `listProfiles` omits: of the app's own items, and duplicates of earlier merges.
  const all = await listAllProfiles(tx, from)
  const { dropped, merged } = await mergeDuplicates(deps, tx, from, moving, existing)
  await joinOwnItems(tx, from, to, now)
  await moveProfiles(tx, from, to)
  await movePeopleDecisions(tx, from, to)
  const shards = [...new Set([...to.shards, ...from.shards])]
  await setAccountShards(tx, to, shards)
  // Destinations store the account with the profile and need the change; items are not delivered again.
  for (const { shard, id } of all) await markDeliveriesDue(tx, { shard, profileId: id }, now)
  await queueEvent(tx, to.appId, 'account.merged', now, {
    account: to.id,
    source: from.id,
    merged_profiles: merged,
  })
  await markMerged(tx, from, to.id)
  await revokeAllTokens(tx, from, now)
  await removeAgentGrants(tx, from)
  // A token for one person's service must never open another's: those of the account that stays are for its own, the others end.
  await removeProxyTokens(tx, from)
  for (const { service, nativeId } of inLockOrder(moving).filter((each) => mayFindAccount(deps.registry, each.service)))
    await mergeServiceUser(tx, { appId: to.appId, service, nativeId }, from.id, to.id)
  await auditAccount(tx, to, {
    at: now,
    actor: `app:${to.appId}`,
    action: 'account.merge',
    detail: {
      source: from.id,
      profiles: moving.map(profileName),
    },
  })
  return { account: { ...to, shards }, dropped }
}

/**
 * If both accounts have the same service user, the destination's profile stays, with the newer credential. Returns the
 * credentials that were dropped, and which profile was merged into which.
 */
async function mergeDuplicates(
  deps: IdentityDeps,
  tx: Queries,
  from: Account,
  moving: Profile[],
  existing: Profile[],
): Promise<{ dropped: UnneededToken[]; merged: { profile: string; into: string }[] }> {
  const dropped: UnneededToken[] = []
  const merged: { profile: string; into: string }[] = []
  for (const profile of moving) {
    const duplicate = existing.find((each) => each.service === profile.service && each.nativeId === profile.nativeId)
    if (duplicate === undefined) continue
    // Merged before it moves: an account must never list one service user twice.
    await mergeProfileInto(tx, from.shards, profile, duplicate)
    merged.push({ profile: profile.id, into: duplicate.id })
    const [older, newer] = profile.connectedAt > duplicate.connectedAt ? [duplicate, profile] : [profile, duplicate]
    const unneeded = await credentialOf(deps, tx, { shard: older.shard, profileId: older.id })
    let isDropped = older === profile
    if (newer === profile) {
      isDropped = await moveCredential(deps, tx, profile, duplicate)
      // The remaining profile keeps its own pause and does not inherit one.
      const state = profile.state === 'paused' ? 'active' : profile.state
      const updatedAt = profile.data === duplicate.data ? duplicate.updatedAt : deps.clock.now()
      const now = await reconnectProfile(tx, { ...profile, updatedAt, state, shard: duplicate.shard, id: duplicate.id })
      // With the newer credential, a profile that needed a sign-in can sync again.
      if (now !== 'paused' && now !== 'needs_auth')
        await resumeSchedule(tx, { shard: duplicate.shard, profileId: duplicate.id }, deps.clock.now())
    }
    const key = { shard: profile.shard, profileId: profile.id }
    await deleteCredential(tx, key)
    await unscheduleProfile(tx, key)
    // Destinations must have items of both profiles only once.
    await resendProfile(tx, key, deps.clock.now())
    // A token that the service refused has ended already.
    if (isDropped && unneeded !== undefined && older.state !== 'needs_auth')
      dropped.push({ ...older, credential: unneeded })
  }
  return { dropped, merged }
}

/** False if there is none to move. */
async function moveCredential(
  { keyring, clock }: IdentityDeps,
  tx: Queries,
  from: Profile,
  to: Profile,
): Promise<boolean> {
  const newer = await findReadableCredential(tx, keyring, { shard: from.shard, profileId: from.id })
  if (newer === undefined) return false
  await putCredential(tx, keyring, { shard: to.shard, profileId: to.id }, newer.value, newer.expiresAt, clock.now())
  return true
}

/** A damaged credential counts as missing: the other profile keeps its own. */
async function findReadableCredential(
  tx: Queries,
  keyring: Keyring,
  key: CredentialKey,
): Promise<StoredCredential | undefined> {
  try {
    return await findCredential(tx, keyring, key)
  } catch (error) {
    if (error instanceof SealError && error.reason === 'damaged') return undefined
    throw error
  }
}
