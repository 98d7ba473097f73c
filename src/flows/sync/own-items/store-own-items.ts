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
import { writeDiff } from '../commit/commit-page.ts'
import type { SyncDeps } from '../deps.ts'
import { hasTooManyValues, isTooDeep } from '../diff/canonical.ts'
import { diffPage } from '../diff/diff-page.ts'
import { openItemStream } from '../diff/item-stream.ts'
import { openOwnItemQuota } from './own-item-quota.ts'

export interface OwnItemCounts {
  added: number
  changed: number
  unchanged: number
}

/** Stores an app's own items by the same diff as those of services: upsert by id, no write for unchanged ones. */
export async function storeOwnItems(
  deps: Pick<SyncDeps, 'database' | 'clock' | 'config' | 'log'>,
  account: Account,
  endpoint: string,
  items: OwnItem[],
): Promise<OwnItemCounts> {
  items.forEach(refuseUnstorable)
  const now = deps.clock.now()
  const quota = await openOwnItemQuota(deps, account)
  const logFailure = (error: unknown) =>
    deps.log.warn('quota notices or statistics were not updated after own items were written', { error })
  const { seq, ...counts } = await deps.database
    .transaction(async (tx) => {
      // The transaction may be a retry after a deadlock.
      quota.release()
      const key = await ensureOwnProfile(tx, account, now)
      const lastSeq = await numberOwnChanges(tx, key, items.length)
      if (lastSeq === undefined) throw new ApiError('token_invalid')
      const stream = openItemStream(OWN_SERVICE, endpoint, ownEndpoint, account.id, key, 0)
      const page = await diffPage(tx, stream, items as LosslessJson[], now)
      await quota.reserve(tx, key, page.rows)
      const { added, changed, seen } = await writeDiff(tx, stream, page, lastSeq, now)
      return { seq: lastSeq, added, changed: changed - added, unchanged: seen.length - changed }
    })
    .catch(async (error: unknown) => {
      quota.release()
      await quota.report().catch(logFailure)
      throw error
    })
  quota.confirm()
  await quota.report().catch(logFailure)
  // The items are stored; a failure from here on does not fail the request.
  await analyzeAtThresholds(deps.database, seq - items.length, seq).catch(logFailure)
  return counts
}

/** Creates the profile under a lock on the account, so that two concurrent first requests do not create two. */
async function ensureOwnProfile(tx: Queries, account: Account, nowMs: number): Promise<ProfileKey> {
  const { service } = OWN_SERVICE
  const known = await findOwnProfile(tx, account, service)
  if (known !== undefined) return known
  const locked = await lockAccount(tx, account.shard, account.id)
  // Merged or deleted since the token was verified.
  if (locked === undefined) throw new ApiError('token_invalid')
  const createdMeanwhile = await findOwnProfile(tx, locked, service)
  if (createdMeanwhile !== undefined) return createdMeanwhile
  const key = { shard: locked.shard, profileId: newShardId(locked.shard, nowMs) }
  await insertOwnProfile(tx, locked, key, service, nowMs)
  await openProfileCursors(tx, key, locked.appId, nowMs)
  return key
}

/** Refuses items that could not be returned unchanged, before anything is written. */
function refuseUnstorable(item: OwnItem, index: number): void {
  const fault = faultOf(item)
  if (fault !== undefined) throw new ApiError('bad_body', `${index} (id ${JSON.stringify(item.id)}): ${fault}.`)
}

function faultOf(item: OwnItem): string | undefined {
  if (isTooDeep(item)) return 'is nested deeper than 64'
  if (hasTooManyValues(item)) return 'has more than 50000 values'
  return hasUnsafeInteger(item) ? UNSAFE_INTEGER : undefined
}

const UNSAFE_INTEGER = 'has a whole number beyond 2^53; send it as a string'

function hasUnsafeInteger(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value)
  return value !== null && typeof value === 'object' && Object.values(value).some(hasUnsafeInteger)
}
