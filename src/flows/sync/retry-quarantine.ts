import { itemsChangedAt } from '#store/items/items.ts'
import type { EndpointState } from '#store/sync/endpoints.ts'
import { endQuarantineRetry, listQuarantine, type Quarantined, releaseRecords } from '#store/sync/quarantine.ts'
import { joinFaults } from '#store/sync/reader-faults.ts'
import { type LosslessJson, parseStored } from '#upstream/body/lossless-json.ts'
import type { SyncDeps } from './deps.ts'
import { badRecord, diffPage, emptyDiff, type PageDiff } from './digest.ts'
import { createQuotaGuard } from './quota-guard.ts'
import { type EndpointRun, writeUnderFence } from './write-page.ts'

interface Sorted {
  /** What enters the items, by the id of the quarantined record that it comes from. */
  entering: Map<string, PageDiff['rows'][number]>
  page: PageDiff
  /** Ids of records that nobody needs any more: a newer version is stored, or was removed since. */
  superseded: string[]
  /** The service has to be asked, from the beginning. */
  reread: boolean
}

/**
 * Reads the quarantined records of an endpoint once more, with the reader of today. What reads well becomes an item and leaves, in
 * one transaction; what does not stays, counted once more. A kept record never replaces a stored item: then, and where only
 * a part of a record was kept, the endpoint is read from its beginning, so that the service's own version wins. Gives the state to
 * run on with.
 */
export async function retryQuarantine(deps: SyncDeps, run: EndpointRun): Promise<EndpointState> {
  const nowMs = deps.clock.now()
  const sorted = await sortAgain(deps, run, await listQuarantine(deps.database, run.owner, run.name), nowMs)
  const { entering, superseded, reread } = sorted
  const guard = createQuotaGuard(deps, run)
  const { page } = await guard.admit(sorted.page)
  await writeUnderFence(deps, run, page, nowMs, 0, async (tx, ingested) => {
    const written = new Set(ingested.written)
    const entered = [...entering].filter(([, { id }]) => written.has(id)).map(([id]) => id)
    await releaseRecords(tx, run.owner, run.name, { ids: [...superseded, ...entered], itemIds: [] })
    await endQuarantineRetry(tx, run.owner, run.name, { added: ingested.added, reread })
  })
  await guard.notify()
  const state = { ...run.state, retryQuarantined: false }
  return reread ? { ...state, watermark: undefined, walk: undefined, validator: undefined } : state
}

async function sortAgain(
  deps: SyncDeps,
  { stream, owner }: EndpointRun,
  records: Quarantined[],
  nowMs: number,
): Promise<Sorted> {
  const sorted: Sorted = { entering: new Map(), page: emptyDiff(), superseded: [], reread: false }
  const taken = new Set<string>()
  for (const record of records) {
    const raw = record.isWhole ? parsed(record.sample) : undefined
    if (raw === undefined) {
      sorted.reread = true
      continue
    }
    const { rows, bad, faults } = await diffPage(deps.database, stream, [raw], nowMs)
    const [row] = rows
    if (bad.length > 0) sorted.page.bad.push(...bad)
    else if (row === undefined || taken.has(row.id) || (await isNewer(deps, owner, row.id, record))) {
      // Stored as it is, said to be deleted, or an older version of what comes in now or did since.
      sorted.superseded.push(record.id)
    } else if (row.isNew) {
      taken.add(row.id)
      sorted.entering.set(record.id, row)
      sorted.page.rows.push(row)
      sorted.page.faults = joinFaults(sorted.page.faults, faults)
    } else {
      sorted.page.bad.push(badRecord(raw, 'another version is stored', row.id))
      sorted.reread = true
    }
  }
  return sorted
}

async function isNewer(
  { database }: SyncDeps,
  owner: EndpointRun['owner'],
  itemId: string,
  { seenAt }: Quarantined,
): Promise<boolean> {
  return ((await itemsChangedAt(database, owner, [itemId])).get(itemId) ?? 0) > seenAt
}

function parsed(sample: string): LosslessJson | undefined {
  try {
    return parseStored(sample)
  } catch {
    return undefined
  }
}
