import { itemsChangedAt } from '#store/items.ts'
import { endQuarantineRetry, listQuarantine, type Quarantined, releaseRecords } from '#store/quarantine.ts'
import { joinFaults } from '#store/reader-faults.ts'
import type { EndpointState } from '#store/sync-endpoints.ts'
import { type LosslessJson, parseStored } from '#upstream/body/lossless-json.ts'
import { badRecord, type Digest, digest, emptyDigest } from './digest.ts'
import type { SyncNeed } from './need.ts'
import { createQuotaGuard } from './quota-guard.ts'
import { type EndpointRun, writeUnderFence } from './write-page.ts'

interface Sorted {
  /** What enters the items, by the id of the quarantined record that it comes from. */
  entering: Map<string, Digest['rows'][number]>
  page: Digest
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
export async function retryQuarantine(need: SyncNeed, run: EndpointRun): Promise<EndpointState> {
  const nowMs = need.clock.now()
  const sorted = await sortAgain(need, run, await listQuarantine(need.database, run.owner, run.name), nowMs)
  const { entering, superseded, reread } = sorted
  const guard = createQuotaGuard(need, run)
  const { page } = await guard.admit(sorted.page)
  await writeUnderFence(need, run, page, nowMs, 0, async (tx, absorbed) => {
    const written = new Set(absorbed.written)
    const entered = [...entering].filter(([, { id }]) => written.has(id)).map(([id]) => id)
    await releaseRecords(tx, run.owner, run.name, { ids: [...superseded, ...entered], itemIds: [] })
    await endQuarantineRetry(tx, run.owner, run.name, { added: absorbed.added, reread })
  })
  await guard.tell()
  const state = { ...run.state, retryQuarantined: false }
  return reread ? { ...state, mark: undefined, walk: undefined, validator: undefined } : state
}

async function sortAgain(
  need: SyncNeed,
  { stream, owner }: EndpointRun,
  records: Quarantined[],
  nowMs: number,
): Promise<Sorted> {
  const sorted: Sorted = { entering: new Map(), page: emptyDigest(), superseded: [], reread: false }
  const taken = new Set<string>()
  for (const record of records) {
    const raw = record.isWhole ? parsed(record.sample) : undefined
    if (raw === undefined) {
      sorted.reread = true
      continue
    }
    const { rows, bad, faults } = await digest(need.database, stream, [raw], nowMs)
    const [row] = rows
    if (bad.length > 0) sorted.page.bad.push(...bad)
    else if (row === undefined || taken.has(row.id) || (await isNewer(need, owner, row.id, record))) {
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
  { database }: SyncNeed,
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
