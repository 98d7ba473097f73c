import { newPartId } from '#base/ids.ts'
import { OWN_SERVICE, type OwnItem, ownEndpoint } from '#kit/own-items.ts'
import type { Account } from '#model/account.ts'
import { ApiError } from '#model/errors.ts'
import { lockAccount } from '#store/accounts.ts'
import type { Queries } from '#store/database.ts'
import { openProfileCursors } from '#store/delivery-cursors.ts'
import { findOwnProfile, insertOwnProfile, numberOwnChanges } from '#store/own-profile.ts'
import { atMilestones } from '#store/statistics.ts'
import type { ProfileKey } from '#store/sync-schedule.ts'
import type { LosslessJson } from '#upstream/body/lossless-json.ts'
import { writeDigest } from './absorb.ts'
import { hasTooManyValues, isTooDeep } from './canonical.ts'
import { digest, openStream } from './digest.ts'
import type { SyncNeed } from './need.ts'
import { openOwnRoom } from './own-room.ts'

export interface StoredOwn {
  added: number
  changed: number
  unchanged: number
}

/** An app's own items, through the same door as those of services: upsert by id, and unchanged ones cost no write. */
export async function storeOwnItems(
  need: Pick<SyncNeed, 'database' | 'clock' | 'config' | 'log'>,
  account: Account,
  endpoint: string,
  items: OwnItem[],
): Promise<StoredOwn> {
  items.forEach(refuseUnstorable)
  const now = need.clock.now()
  const room = await openOwnRoom(need, account)
  const untold = (error: unknown) => need.log.warn('what follows from stored items was not noted', { error })
  const stored = await need.database
    .transaction(async (tx) => {
      // Begun anew after a deadlock, it has taken nothing yet.
      room.giveBack()
      const key = await ownProfile(tx, account, now)
      const seq = await numberOwnChanges(tx, key, items.length)
      if (seq === undefined) throw new ApiError('token_invalid')
      const stream = openStream(OWN_SERVICE, endpoint, ownEndpoint, account.id, key, 0)
      const page = await digest(tx, stream, items as LosslessJson[], now)
      await room.take(tx, key, page.rows)
      const done = await writeDigest(tx, stream, page, seq, now)
      return { seq, added: done.added, changed: done.changed - done.added, unchanged: done.seen.length - done.changed }
    })
    .catch(async (error: unknown) => {
      room.giveBack()
      await room.tell().catch(untold)
      throw error
    })
  room.keep()
  await room.tell().catch(untold)
  const { seq, ...counts } = stored
  // The items are stored: that the database could not count them is no reason to say otherwise.
  await atMilestones(need.database, seq - items.length, seq).catch(untold)
  return counts
}

/** Only making it needs the lock on the account: two first items at once must not make two. */
async function ownProfile(tx: Queries, account: Account, nowMs: number): Promise<ProfileKey> {
  const { service } = OWN_SERVICE
  const known = await findOwnProfile(tx, account, service)
  if (known !== undefined) return known
  const locked = await lockAccount(tx, account.part, account.id)
  // Merged away or deleted since the token was looked at.
  if (locked === undefined) throw new ApiError('token_invalid')
  const meanwhile = await findOwnProfile(tx, locked, service)
  if (meanwhile !== undefined) return meanwhile
  const key = { part: locked.part, profileId: newPartId(locked.part, nowMs) }
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
