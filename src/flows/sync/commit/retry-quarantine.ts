import { itemsChangedAt } from '#store/items/items.ts'
import type { EndpointState } from '#store/sync/endpoints.ts'
import { endQuarantineRetry, listQuarantine, type Quarantined, releaseRecords } from '#store/sync/quarantine.ts'
import { joinFaults } from '#store/sync/reader-faults.ts'
import { type LosslessJson, parseStored } from '#upstream/body/lossless-json.ts'
import type { SyncDeps } from '../deps.ts'
import { badRecord } from '../diff/bad-record.ts'
import { diffPage, emptyDiff, type PageDiff } from '../diff/diff-page.ts'
import type { EndpointRun } from '../walk/endpoint-run.ts'
import { commitPage } from './commit-page.ts'
import { createQuotaGuard } from './quota-guard.ts'

interface RetriedRecords {
  /** New items, by the id of the quarantined record that each comes from. */
  rowsByRecord: Map<string, PageDiff['rows'][number]>
  page: PageDiff
  /** Ids of records to drop: a newer version is stored, or was deleted since. */
  superseded: string[]
  /** The endpoint has to be fetched again from the beginning. */
  needsReread: boolean
}

/**
 * Reads the quarantined records of an endpoint again, with the current connector. A readable one becomes an item and is
 * released in the same transaction; the others stay and are counted once more. A quarantined record never replaces a
 * stored item: then, and where only a part of the record was stored, the endpoint is fetched from its beginning, so
 * that the service's version wins. Returns the state to continue the run with.
 */
export async function retryQuarantine(deps: SyncDeps, run: EndpointRun): Promise<EndpointState> {
  const nowMs = deps.clock.now()
  const records = await listQuarantine(deps.database, run.profileKey, run.name)
  const { rowsByRecord, superseded, needsReread, ...retried } = await readAgain(deps, run, records, nowMs)
  const quotas = createQuotaGuard(deps, run)
  const { page } = await quotas.admit(retried.page)
  await commitPage(deps, run, page, nowMs, 0, async (tx, ingested) => {
    const written = new Set(ingested.written)
    const stored = [...rowsByRecord].filter(([, { id }]) => written.has(id)).map(([recordId]) => recordId)
    await releaseRecords(tx, run.profileKey, run.name, { ids: [...superseded, ...stored], itemIds: [] })
    await endQuarantineRetry(tx, run.profileKey, run.name, { added: ingested.added, reread: needsReread })
  })
  await quotas.report()
  const state = { ...run.state, retryQuarantined: false }
  return needsReread ? { ...state, watermark: undefined, walk: undefined, validator: undefined } : state
}

async function readAgain(
  deps: SyncDeps,
  { stream, profileKey }: EndpointRun,
  records: Quarantined[],
  nowMs: number,
): Promise<RetriedRecords> {
  const retried: RetriedRecords = { rowsByRecord: new Map(), page: emptyDiff(), superseded: [], needsReread: false }
  const { page } = retried
  const itemIds = new Set<string>()
  for (const record of records) {
    const raw = record.isWhole ? parsed(record.sample) : undefined
    if (raw === undefined) {
      retried.needsReread = true
      continue
    }
    const { rows, quarantined, faults } = await diffPage(deps.database, stream, [raw], nowMs)
    const [row] = rows
    if (quarantined.length > 0) page.quarantined.push(...quarantined)
    else if (row === undefined || itemIds.has(row.id) || (await hasChangedSince(deps, profileKey, row.id, record))) {
      // Stored unchanged, reported as deleted, or an older version of an item that is written now or changed since.
      retried.superseded.push(record.id)
    } else if (row.isNew) {
      itemIds.add(row.id)
      retried.rowsByRecord.set(record.id, row)
      page.rows.push(row)
      page.faults = joinFaults(page.faults, faults)
    } else {
      page.quarantined.push(badRecord(raw, 'another version is stored', row.id))
      retried.needsReread = true
    }
  }
  return retried
}

async function hasChangedSince(
  { database }: SyncDeps,
  profileKey: EndpointRun['profileKey'],
  itemId: string,
  { seenAt }: Quarantined,
): Promise<boolean> {
  return ((await itemsChangedAt(database, profileKey, [itemId])).get(itemId) ?? 0) > seenAt
}

function parsed(sample: string): LosslessJson | undefined {
  try {
    return parseStored(sample)
  } catch {
    // The endpoint is fetched again instead.
    return undefined
  }
}
