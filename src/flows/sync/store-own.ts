import { OWN_SERVICE, type OwnItem, ownEndpoint } from '#kit/own-items.ts'
import type { Account } from '#model/account.ts'
import { ApiError } from '#model/errors.ts'
import { newShardId } from '#platform/ids.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { lockAccount } from '#store/identity/accounts.ts'
import { findOwnProfile, insertOwnProfile, numberOwnChanges } from '#store/items/own-profile.ts'
import { analyzeAtThresholds } from '#store/items/statistics.ts'
import { openProfileCursors } from '#store/push/cursors.ts'
import type { ProfileKey } from '#store/sync/schedule.ts'
import type { LosslessJson } from '#upstream/body/lossless-json.ts'
import { writeDiff } from './absorb.ts'
import { hasTooManyValues, isTooDeep } from './canonical.ts'
import type { SyncDeps } from './deps.ts'
import { diffPage, openItemStream } from './digest.ts'
import { openOwnItemQuota } from './own-room.ts'

export interface StoredOwn {
  added: number
  changed: number
  unchanged: number
}

/** An app's own items, through the same door as those of services: upsert by id, and unchanged ones cost no write. */
export async function storeOwnItems(
  deps: Pick<SyncDeps, 'database' | 'clock' | 'config' | 'log'>,
  account: Account,
  endpoint: string,
  items: OwnItem[],
): Promise<StoredOwn> {
  items.forEach(refuseUnstorable)
  const now = deps.clock.now()
  const room = await openOwnItemQuota(deps, account)
  const unconfirmed = (error: unknown) => deps.log.warn('what follows from stored items was not noted', { error })
  const stored = await deps.database
    .transaction(async (tx) => {
      // Begun anew after a deadlock, it has taken nothing yet.
      room.giveBack()
      const key = await ownProfile(tx, account, now)
      const seq = await numberOwnChanges(tx, key, items.length)
      if (seq === undefined) throw new ApiError('token_invalid')
      const stream = openItemStream(OWN_SERVICE, endpoint, ownEndpoint, account.id, key, 0)
      const page = await diffPage(tx, stream, items as LosslessJson[], now)
      await room.take(tx, key, page.rows)
      const done = await writeDiff(tx, stream, page, seq, now)
      return { seq, added: done.added, changed: done.changed - done.added, unchanged: done.seen.length - done.changed }
    })
    .catch(async (error: unknown) => {
      room.giveBack()
      await room.notify().catch(unconfirmed)
      throw error
    })
  room.keep()
  await room.notify().catch(unconfirmed)
  const { seq, ...counts } = stored
  // The items are stored: that the database could not count them is no reason to say otherwise.
  await analyzeAtThresholds(deps.database, seq - items.length, seq).catch(unconfirmed)
  return counts
}

/** Only making it needs the lock on the account: two first items at once must not make two. */
async function ownProfile(tx: Queries, account: Account, nowMs: number): Promise<ProfileKey> {
  const { service } = OWN_SERVICE
  const known = await findOwnProfile(tx, account, service)
  if (known !== undefined) return known
  const locked = await lockAccount(tx, account.shard, account.id)
  // Merged away or deleted since the token was looked at.
  if (locked === undefined) throw new ApiError('token_invalid')
  const meanwhile = await findOwnProfile(tx, locked, service)
  if (meanwhile !== undefined) return meanwhile
  const key = { shard: locked.shard, profileId: newShardId(locked.shard, nowMs) }
  await insertOwnProfile(tx, locked, key, service, nowMs)
  await openProfileCursors(tx, key, locked.appId, nowMs)
  return key
}

/** What could not be given back as it came is refused by name, before anything is written. */
function refuseUnstorable(item: OwnItem, at: number): void {
  const fault = faultOf(item)
  if (fault !== undefined) throw new ApiError('bad_body', `${at} (id ${JSON.stringify(item.id)}): ${fault}.`)
}

function faultOf(item: OwnItem): string | undefined {
  if (isTooDeep(item)) return 'is nested deeper than 64'
  if (hasTooManyValues(item)) return 'has more than 50000 values'
  return hasLostDigits(item) ? LOST_DIGITS : undefined
}

const LOST_DIGITS = 'has a whole number beyond 2^53, which only a text can carry'

function hasLostDigits(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value)
  return value !== null && typeof value === 'object' && Object.values(value).some(hasLostDigits)
}
