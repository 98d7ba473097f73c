import { currentReaderVersions } from '#kit/connector/reader-version.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { upsertItems } from '#store/items/items.ts'
import {
  countOutdatedProfiles,
  nextStoredItems,
  type OutdatedProfile,
  outdatedProfiles,
  type RereadLease,
  storeRereadPosition,
  storeSearchWords,
  takeRereadLease,
} from '#store/items/reread.ts'
import { markDeliveriesDue } from '#store/push/cursors.ts'
import { listEndpoints } from '#store/sync/endpoints.ts'
import { keepFaults } from '#store/sync/reader-faults.ts'
import { makeProfileDue, scheduleEndpoints } from '#store/sync/schedule.ts'
import type { SyncDeps } from '../deps.ts'
import { type Reread, rereadItems } from './reread-items.ts'

export type RereadDeps = Pick<SyncDeps, 'database' | 'registry' | 'clock' | 'log'>

/** Limit: items of one transaction that reads stored records again; further ones follow in the next. */
const MAX_ITEMS = 200
/** Limit: bytes of the records of one such transaction, unless it has only one. */
const MAX_BYTES = 2 * 1024 * 1024
/** Limit: attempts at reading one item again, after which it stays as it is; each failed attempt may be the death of a worker. */
const MAX_ATTEMPTS = 3
/** Limit: profiles of each service that one step works on; the next step continues. */
const MAX_PROFILES = 20
/** How long one step works before it lets the process stop or do something else. */
const STEP_MS = 2000
const LEASE_MS = 60_000

/**
 * Reads stored records again after an upgrade that changed readers: types, cards, participants and search words follow,
 * and no service is called. Each page is a transaction that locks the profile and stores the position, so that it may be
 * interrupted anywhere, run in several processes, and run beside syncs. Returns how much work it found.
 */
export async function rereadProfiles(deps: RereadDeps): Promise<number> {
  const untilMs = deps.clock.now() + STEP_MS
  const versions = currentReaderVersions(deps.registry)
  const found = await outdatedProfiles(deps.database, versions, MAX_PROFILES, deps.clock.now())
  for (const profile of found) {
    let hasMore = true
    while (hasMore) {
      if (deps.clock.now() >= untilMs) return found.length
      hasMore = await rereadPage(deps, profile)
    }
  }
  return found.length
}

/** For operators: profiles whose items are still to be read again. */
export function countRereads({ database, registry }: Pick<RereadDeps, 'database' | 'registry'>): Promise<number> {
  return countOutdatedProfiles(database, currentReaderVersions(registry))
}

/** Reads one page of a profile again. False at its end, and when another process works on it. */
export async function rereadPage(deps: RereadDeps, profile: OutdatedProfile, maxItems = MAX_ITEMS): Promise<boolean> {
  const nowMs = deps.clock.now()
  // The lease is committed before the records are read: if reading them ends the process, the attempt counts.
  const lease = await takeRereadLease(deps.database, profile, nowMs, nowMs + LEASE_MS)
  if (lease === undefined) return false
  return deps.database.transaction(async (tx) => {
    const rows = lease.attempts > 1 ? 1 : maxItems
    const items = await nextStoredItems(tx, lease, { rows, bytes: MAX_BYTES })
    if (items === undefined) return false
    const last = items.at(-1)
    const isGivenUp = lease.attempts > MAX_ATTEMPTS
    if (isGivenUp && last !== undefined)
      deps.log.error('an item could not be read again and stays as it is', {
        profile: lease.profileId,
        item: last.id,
        endpoint: last.endpoint,
      })
    const { service, version } = profile
    const reread = isGivenUp ? [] : rereadItems(deps.registry, { service, owner: lease.owner }, items)
    const count = reread.reduce((sum, { changed }) => sum + changed.length, 0)
    const lastSeq = await storeRereadPosition(tx, lease, {
      count,
      afterId: last?.id ?? null,
      // Having failed once, the rest of the profile is read one item at a time: the next failure is of one item.
      attempts: last !== undefined && lease.attempts > 1 ? 1 : 0,
      doneVersion: last === undefined ? version : null,
    })
    await writeReread(tx, lease, reread, lastSeq - count + 1, nowMs)
    if (last === undefined) await computeAgain(deps, tx, lease, service, nowMs)
    return last !== undefined
  })
}

/** What is computed from these items may be new in this release, and nothing else may make the profile due. */
async function computeAgain(
  { registry }: Pick<RereadDeps, 'registry'>,
  tx: Queries,
  { shard, profileId }: RereadLease,
  service: string,
  nowMs: number,
): Promise<void> {
  const endpoints = Object.entries(registry.find(service)?.endpoints ?? {})
  const computed = endpoints.filter(([, endpoint]) => endpoint.computed !== undefined)
  if (computed.length === 0) return
  const key = { shard, profileId }
  await scheduleEndpoints(
    tx,
    key,
    computed.map(([name, { everyMs }]) => ({ name, everyMs })),
    nowMs,
  )
  await makeProfileDue(tx, key, nowMs)
}

async function writeReread(
  tx: Queries,
  { shard, profileId }: RereadLease,
  reread: Reread[],
  firstSeq: number,
  nowMs: number,
): Promise<void> {
  const key = { shard, profileId }
  const states = new Map((await listEndpoints(tx, key)).map((state) => [state.endpoint, state]))
  let seq = firstSeq
  for (const { endpoint, changed, unchanged, faults } of reread) {
    const rows = changed.map((row) => ({ ...row, seq: seq++ }))
    await upsertItems(tx, key, endpoint, rows, nowMs)
    await storeSearchWords(tx, key, unchanged)
    if (faults.count > 0 || (states.get(endpoint)?.faults ?? 0) > 0) {
      const ids = [...changed, ...unchanged].map(({ id }) => id)
      await keepFaults(tx, key, endpoint, faults, ids, nowMs)
    }
  }
  if (seq > firstSeq) await markDeliveriesDue(tx, key, nowMs)
}
