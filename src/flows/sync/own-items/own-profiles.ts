import { OWN_SERVICE, ownEndpoint } from '#kit/connector/own-items.ts'
import { OWN_READER_VERSION } from '#kit/connector/reader-version.ts'
import type { Account } from '#model/accounts/account.ts'
import { ApiError } from '#model/errors.ts'
import { newShardId } from '#platform/crypto/ids.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { lockAccount } from '#store/identity/accounts.ts'
import { itemsUpdatedAt } from '#store/items/own-copies.ts'
import { insertOwnProfile, listOwnProfiles, type OwnProfile } from '#store/items/own-profile.ts'
import { openProfileCursors } from '#store/push/cursors.ts'
import { type ItemStream, openItemStream } from '../diff/item-stream.ts'

/** Locks the account, so that no merge adds a profile with the same items meanwhile. */
export async function lockOwner(tx: Queries, { shard, id }: Account): Promise<Account> {
  const locked = await lockAccount(tx, shard, id)
  // Merged or deleted since the token was verified.
  if (locked === undefined) throw new ApiError('token_invalid')
  return locked
}

/** The profiles of a locked account's own items; the account's own profile is created if needed and comes first. */
export async function ensureOwnProfiles(
  tx: Queries,
  account: Account,
  nowMs: number,
): Promise<[OwnProfile, ...OwnProfile[]]> {
  const { service } = OWN_SERVICE
  const known = await listOwnProfiles(tx, account, service)
  const [first, ...others] = known
  if (first?.owner === account.id) return [first, ...others]
  const key = { shard: account.shard, profileId: newShardId(account.shard, nowMs) }
  const created = await insertOwnProfile(tx, account, key, { service, readerVersion: OWN_READER_VERSION }, nowMs)
  await openProfileCursors(tx, key, account.appId, nowMs)
  return [created, ...known]
}

/** The items of one endpoint in one of the profiles. */
export interface OwnStream extends ItemStream {
  /** When the given items were last written here, by their id in this profile; absent ones are not stored here. */
  updatedAt: Map<string, number>
}

/** Looks the items up in each profile: after a merge an item may be in any of them, under an id of its own. */
export async function openOwnStreams(
  tx: Queries,
  profiles: readonly OwnProfile[],
  endpoint: string,
  items: readonly { id: string | number }[],
): Promise<OwnStream[]> {
  const streams: OwnStream[] = []
  for (const { shard, profileId, owner } of profiles) {
    const stream = openItemStream(OWN_SERVICE, endpoint, ownEndpoint, owner, { shard, profileId }, 0)
    const ids = items.map((item) => stream.identify(item).id)
    const updatedAt = ids.length === 0 ? new Map<string, number>() : await itemsUpdatedAt(tx, stream.profileKey, ids)
    streams.push({ ...stream, updatedAt })
  }
  return streams
}
