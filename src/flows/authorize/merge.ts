import { type Keyring, SealError } from '#base/sealing.ts'
import type { Account } from '#model/account.ts'
import { ApiError } from '#model/errors.ts'
import type { Profile } from '#model/profile.ts'
import { profileName } from '#model/profile-name.ts'
import { revokeAllTokens } from '#store/access-tokens.ts'
import { lockAccount, markMerged, setAccountParts } from '#store/accounts.ts'
import { auditAccount } from '#store/audit.ts'
import {
  type CredentialKey,
  deleteCredential,
  findCredential,
  putCredential,
  type StoredCredential,
} from '#store/credentials.ts'
import type { Queries } from '#store/database.ts'
import { markDeliveriesDue, resendProfile } from '#store/delivery-cursors.ts'
import { foldProfile, listAllProfiles, listProfiles, moveProfiles, reconnectProfile } from '#store/profiles.ts'
import { queueEvent } from '#store/push-events.ts'
import { mergeServiceUser } from '#store/service-users.ts'
import { resumeSchedule, unscheduleProfile } from '#store/sync-schedule.ts'
import { accountOf } from './accounts.ts'
import type { AuthorizeNeed } from './need.ts'

/**
 * All profiles of one account move to another; the emptied account ends with its tokens. Items stay where they are,
 * because they belong to profiles. One transaction over two parts: rare, and half a merge would be worse than a slow one.
 */
export async function mergeAccounts(need: AuthorizeNeed, sourceToken: string, destToken: string): Promise<Account> {
  const [source, dest] = await Promise.all([accountOf(need, sourceToken), accountOf(need, destToken)])
  if (source === undefined)
    throw new ApiError('token_invalid', 'source: the access token is unknown, revoked or merged away.')
  if (dest === undefined)
    throw new ApiError('token_invalid', 'dest: the access token is unknown, revoked or merged away.')
  if (source.appId !== dest.appId) throw new ApiError('other_app')
  if (source.id === dest.id) throw new ApiError('same_account')
  return need.database.transaction(async (tx) => {
    const [from, to] = await lockBoth(tx, source, dest)
    return merge(need, tx, from, to)
  })
}

/** In one order for everybody, so that two merges in opposite directions wait for each other instead of locking up. */
async function lockBoth(tx: Queries, source: Account, dest: Account): Promise<[Account, Account]> {
  const locked = new Map<string, Account | undefined>()
  for (const { part, id } of [source, dest].sort((a, b) => (a.id < b.id ? -1 : 1)))
    locked.set(id, await lockAccount(tx, part, id))
  const [from, to] = [locked.get(source.id), locked.get(dest.id)]
  // Somebody merged one of them while we waited.
  if (from === undefined || to === undefined) throw new ApiError('token_invalid')
  return [from, to]
}

async function merge(need: AuthorizeNeed, tx: Queries, from: Account, to: Account): Promise<Account> {
  const now = need.clock.now()
  const [moving, staying] = [await listProfiles(tx, from), await listProfiles(tx, to)]
  // Also those that no list shows: the app's own items, and what an earlier merge folded.
  const all = await listAllProfiles(tx, from)
  await foldTwins(need, tx, from, moving, staying)
  await moveProfiles(tx, from, to)
  const parts = [...new Set([...to.parts, ...from.parts])]
  await setAccountParts(tx, to, parts)
  // Destinations keep the account with the profile: they are told, and no item moves there either.
  for (const { part, id } of all) await markDeliveriesDue(tx, { part, profileId: id }, now)
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
  return { ...to, parts }
}

/** The same service user in both: the destination's profile stays, with the newer of the two credentials. */
async function foldTwins(
  need: AuthorizeNeed,
  tx: Queries,
  from: Account,
  moving: Profile[],
  staying: Profile[],
): Promise<void> {
  for (const profile of moving) {
    const twin = staying.find((each) => each.service === profile.service && each.nativeId === profile.nativeId)
    if (twin === undefined) continue
    // Folded before it moves: an account never shows one service user twice.
    await foldProfile(tx, from.parts, profile, twin)
    if (profile.connectedAt > twin.connectedAt) {
      await moveCredential(need, tx, profile, twin)
      // The profile that stays keeps its own pause, and none of the other's.
      const state = profile.state === 'paused' ? 'active' : profile.state
      const now = await reconnectProfile(tx, { ...profile, state, part: twin.part, id: twin.id })
      // One that waited for a new sign-in has it now.
      if (now !== 'paused' && now !== 'needs_auth')
        await resumeSchedule(tx, { part: twin.part, profileId: twin.id }, need.clock.now())
    }
    const key = { part: profile.part, profileId: profile.id }
    await deleteCredential(tx, key)
    await unscheduleProfile(tx, key)
    // What both hold is to be at the destinations once.
    await resendProfile(tx, key, need.clock.now())
  }
}

async function moveCredential(
  { keyring, clock }: AuthorizeNeed,
  tx: Queries,
  from: Profile,
  to: Profile,
): Promise<void> {
  const newer = await readable(tx, keyring, { part: from.part, profileId: from.id })
  if (newer === undefined) return
  await putCredential(tx, keyring, { part: to.part, profileId: to.id }, newer.value, newer.expiresAt, clock.now())
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
