import type { OwnItem } from '#kit/connector/own-items.ts'
import type { Account } from '#model/accounts/account.ts'
import { ApiError } from '#model/errors.ts'
import { firstOf } from '#platform/formats/list-ends.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { countItemsOfHour } from '#store/items/item-hours.ts'
import { numberOwnChanges, type OwnProfile } from '#store/items/own-profile.ts'
import { analyzeAtThresholds } from '#store/items/statistics.ts'
import type { LosslessJson } from '#upstream/body/lossless-json.ts'
import { writeDiff } from '../commit/commit-page.ts'
import type { SyncDeps } from '../deps.ts'
import { hasTooManyValues, isTooDeep } from '../diff/canonical.ts'
import { diffPage, type PageDiff } from '../diff/diff-page.ts'
import { openOwnItemQuota } from './own-item-quota.ts'
import { ensureOwnProfiles, lockOwner, type OwnStream, openOwnStreams } from './own-profiles.ts'

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
      const profiles = await ensureOwnProfiles(tx, await lockOwner(tx, account), now)
      const pages: OwnPage[] = []
      for (const { stream, records, replaced } of await assignItems(tx, profiles, endpoint, items)) {
        const page = await diffPage(tx, stream, records, now)
        pages.push({ stream, page: { ...page, deleted: replaced } })
      }
      await quota.reserve(
        tx,
        profiles[0],
        pages.flatMap(({ page }) => page.rows),
      )
      return writePages(tx, pages, now)
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

interface OwnPage {
  stream: OwnStream
  page: PageDiff
}

interface AssignedItems {
  stream: OwnStream
  records: LosslessJson[]
  /** Older copies in this profile of items that another one keeps. */
  replaced: string[]
}

/** An item stays in the profile that has it, so that it keeps its id after a merge; new ones go to the first profile. */
async function assignItems(
  tx: Queries,
  profiles: readonly OwnProfile[],
  endpoint: string,
  items: OwnItem[],
): Promise<AssignedItems[]> {
  const streams = await openOwnStreams(tx, profiles, endpoint, profiles.length === 1 ? [] : items)
  const assigned: AssignedItems[] = streams.map((stream) => ({ stream, records: [], replaced: [] }))
  for (const item of items) {
    const copies = assigned
      .map((each) => ({ each, id: each.stream.identify(item).id }))
      .filter(({ each, id }) => each.stream.updatedAt.has(id))
      // Stable: of equal times, the first profile's.
      .sort((a, b) => (b.each.stream.updatedAt.get(b.id) ?? 0) - (a.each.stream.updatedAt.get(a.id) ?? 0))
    const [kept = { each: firstOf(assigned) }, ...older] = copies
    kept.each.records.push(item as LosslessJson)
    for (const { each, id } of older) each.replaced.push(id)
  }
  return assigned.filter(({ records, replaced }, i) => i === 0 || records.length + replaced.length > 0)
}

/** Returns the counts, and the last `seq` of the first profile, which has the new items. */
async function writePages(tx: Queries, pages: OwnPage[], nowMs: number): Promise<OwnItemCounts & { seq: number }> {
  const total = { added: 0, changed: 0, unchanged: 0, seq: 0 }
  const written: { key: OwnStream['profileKey']; added: number; updated: number }[] = []
  for (const { stream, page } of pages) {
    const count = page.rows.length + page.deleted.length
    const lastSeq = await numberOwnChanges(tx, stream.profileKey, count)
    if (stream === pages[0]?.stream) total.seq = lastSeq
    const { added, changed, seen } = await writeDiff(tx, stream, page, lastSeq, nowMs)
    written.push({ key: stream.profileKey, added, updated: changed - added })
    total.added += added
    total.changed += changed - added
    total.unchanged += seen.length - changed
  }
  // Last, and by shard: after a merge a request writes to several, and others may do so at the same time.
  written.sort((a, b) => a.key.shard - b.key.shard)
  for (const { key, ...counts } of written) await countItemsOfHour(tx, key, counts, nowMs)
  return total
}

/** Refuses items that could not be returned unchanged, before anything is written. */
function refuseUnstorable(item: OwnItem, index: number): void {
  const fault = faultOf(item)
  if (fault !== undefined)
    throw new ApiError('bad_body', `${index} (id ${JSON.stringify(item.id)}): ${fault}.`, { param: String(index) })
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
