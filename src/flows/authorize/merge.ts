import type { Account } from '#model/account.ts'
import { ApiError } from '#model/errors.ts'
import type { Profile } from '#model/profile.ts'
import { profileName } from '#model/profile-name.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { type Keyring, SealError } from '#platform/sealing.ts'
import { auditAccount } from '#store/audit.ts'
import { revokeAllTokens } from '#store/identity/access-tokens.ts'
import { lockAccount, markMerged, setAccountShards } from '#store/identity/accounts.ts'
import {
  type CredentialKey,
  deleteCredential,
  findCredential,
  putCredential,
  type StoredCredential,
} from '#store/identity/credentials.ts'
import {
  listAllProfiles,
  listProfiles,
  mergeProfileInto,
  moveProfiles,
  reconnectProfile,
} from '#store/identity/profiles.ts'
import { mergeServiceUser } from '#store/identity/service-users.ts'
import { markDeliveriesDue, resendProfile } from '#store/push/cursors.ts'
import { queueEvent } from '#store/push/events.ts'
import { resumeSchedule, unscheduleProfile } from '#store/sync/schedule.ts'
import { accountOf } from './accounts.ts'
import type { AuthorizeDeps } from './deps.ts'

/**
 * All profiles of one account move to another; the emptied account ends with its tokens. Items stay where they are,
 * because they belong to profiles. One transaction over two parts: rare, and half a merge would be worse than a slow one.
 */
export async function mergeAccounts(deps: AuthorizeDeps, sourceToken: string, destToken: string): Promise<Account> {
  const [source, dest] = await Promise.all([accountOf(deps, sourceToken), accountOf(deps, destToken)])
  if (source === undefined)
    throw new ApiError('token_invalid', 'source: the access token is unknown, revoked or merged away.')
  if (dest === undefined)
    throw new ApiError('token_invalid', 'dest: the access token is unknown, revoked or merged away.')
  if (source.appId !== dest.appId) throw new ApiError('other_app')
  if (source.id === dest.id) throw new ApiError('same_account')
  return deps.database.transaction(async (tx) => {
    const [from, to] = await lockBoth(tx, source, dest)
    return merge(deps, tx, from, to)
  })
}

/** In one order for everybody, so that two merges in opposite directions wait for each other instead of locking up. */
async function lockBoth(tx: Queries, source: Account, dest: Account): Promise<[Account, Account]> {
  const locked = new Map<string, Account | undefined>()
  for (const { shard, id } of [source, dest].sort((a, b) => (a.id < b.id ? -1 : 1)))
    locked.set(id, await lockAccount(tx, shard, id))
  const [from, to] = [locked.get(source.id), locked.get(dest.id)]
  // Somebody merged one of them while we waited.
  if (from === undefined || to === undefined) throw new ApiError('token_invalid')
  return [from, to]
}

async function merge(deps: AuthorizeDeps, tx: Queries, from: Account, to: Account): Promise<Account> {
  const now = deps.clock.now()
  const [moving, permitted] = [await listProfiles(tx, from), await listProfiles(tx, to)]
  // Also those that no list shows: the app's own items, and what an earlier merge folded.
  const all = await listAllProfiles(tx, from)
  await mergeDuplicates(deps, tx, from, moving, permitted)
  await moveProfiles(tx, from, to)
  const shards = [...new Set([...to.shards, ...from.shards])]
  await setAccountShards(tx, to, shards)
  // Destinations keep the account with the profile: they are told, and no item moves there either.
  for (const { shard, id } of all) await markDeliveriesDue(tx, { shard, profileId: id }, now)
  await queueEvent(tx, to.appId, 'account.merged', now, { account: to.id, source: from.id })
  await markMerged(tx, from, to.id)
  await revokeAllTokens(tx, from, now)
  // In one order for everybody, as with the accounts.
  for (const { service, nativeId } of moving.toSorted((a, b) => (profileName(a) < profileName(b) ? -1 : 1)))
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
  return { ...to, shards }
}

/** The same service user in both: the destination's profile stays, with the newer of the two credentials. */
async function mergeDuplicates(
  deps: AuthorizeDeps,
  tx: Queries,
  from: Account,
  moving: Profile[],
  permitted: Profile[],
): Promise<void> {
  for (const profile of moving) {
    const duplicate = permitted.find((each) => each.service === profile.service && each.nativeId === profile.nativeId)
    if (duplicate === undefined) continue
    // Folded before it moves: an account never shows one service user twice.
    await mergeProfileInto(tx, from.shards, profile, duplicate)
    if (profile.connectedAt > duplicate.connectedAt) {
      await moveCredential(deps, tx, profile, duplicate)
      // The profile that stays keeps its own pause, and none of the other's.
      const state = profile.state === 'paused' ? 'active' : profile.state
      const now = await reconnectProfile(tx, { ...profile, state, shard: duplicate.shard, id: duplicate.id })
      // One that waited for a new sign-in has it now.
      if (now !== 'paused' && now !== 'needs_auth')
        await resumeSchedule(tx, { shard: duplicate.shard, profileId: duplicate.id }, deps.clock.now())
    }
    const key = { shard: profile.shard, profileId: profile.id }
    await deleteCredential(tx, key)
    await unscheduleProfile(tx, key)
    // What both hold is to be at the destinations once.
    await resendProfile(tx, key, deps.clock.now())
  }
}

async function moveCredential(
  { keyring, clock }: AuthorizeDeps,
  tx: Queries,
  from: Profile,
  to: Profile,
): Promise<void> {
  const newer = await readable(tx, keyring, { shard: from.shard, profileId: from.id })
  if (newer === undefined) return
  await putCredential(tx, keyring, { shard: to.shard, profileId: to.id }, newer.value, newer.expiresAt, clock.now())
}

/** A damaged one is as good as none: the other profile keeps what it has. */
async function readable(tx: Queries, keyring: Keyring, key: CredentialKey): Promise<StoredCredential | undefined> {
  try {
    return await findCredential(tx, keyring, key)
  } catch (error) {
    if (error instanceof SealError && error.reason === 'damaged') return undefined
    throw error
  }
}
