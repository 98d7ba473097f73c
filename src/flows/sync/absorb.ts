import type { Queries } from '#platform/postgres/database.ts'
import { rehashItems, removeItems, upsertItems } from '#store/items/items.ts'
import { markDeliveriesDue } from '#store/push/cursors.ts'
import { quarantineRecords, releaseRecords } from '#store/sync/quarantine.ts'
import { keepFaults } from '#store/sync/reader-faults.ts'
import type { LosslessJson } from '#upstream/body/lossless-json.ts'
import { diffPage, type PageDiff, type Stream } from './digest.ts'

export { openItemStream, type Stream } from './digest.ts'

export interface Ingested {
  added: number
  changed: number
  removed: number
  /** Ids of the new and changed items. */
  written: string[]
  /** Ids of everything the page showed, stored or not. */
  seen: string[]
}

/** One page of records into the store, inside the caller's transaction. `lastSeq` is the last of as many numbers as there are records. */
export async function ingest(
  tx: Queries,
  stream: Stream,
  records: LosslessJson[],
  lastSeq: number,
  nowMs: number,
): Promise<Ingested> {
  return writeDiff(tx, stream, await diffPage(tx, stream, records, nowMs), lastSeq, nowMs)
}

/** How many numbers in the order of changes a page may need. */
export function numbersFor({ rows, deleted }: PageDiff): number {
  return rows.length + deleted.length
}

/** Writes what a page means, inside the caller's transaction. `lastSeq` is the last of the numbers it asked for. */
export async function writeDiff(
  tx: Queries,
  stream: Stream,
  page: PageDiff,
  lastSeq: number,
  nowMs: number,
): Promise<Ingested> {
  const firstSeq = lastSeq - numbersFor(page) + 1
  const rows = page.rows.map((row, i) => ({ ...row, seq: firstSeq + i }))
  await upsertItems(tx, stream.key, stream.name, rows, nowMs)
  await rehashItems(tx, stream.key, page.reserialized)
  const removed = await removeItems(tx, stream.key, page.deleted, firstSeq + rows.length, nowMs)
  if (rows.length + removed > 0) await markDeliveriesDue(tx, stream.key, nowMs)
  await setAside(tx, stream, page, nowMs)
  const added = rows.reduce((sum, { isNew }) => sum + (isNew ? 1 : 0), 0)
  return { added, changed: rows.length, removed, written: rows.map(({ id }) => id), seen: page.seen }
}

/** Keeps what could not be read, and lets go of what could. Most streams have neither, and pay nothing for it. */
async function setAside(tx: Queries, stream: Stream, page: PageDiff, nowMs: number): Promise<void> {
  const { key, name, aside } = stream
  const known = [...page.rows.map(({ id }) => id), ...page.deleted]
  if (page.faults.count > 0 || (aside.faults && known.length > 0)) {
    aside.faults = true
    await keepFaults(tx, key, name, page.faults, known, nowMs)
  }
  const [ids, itemIds] = [page.good.map(({ content }) => content), [...page.good.map(({ id }) => id), ...page.deleted]]
  if (aside.quarantine && itemIds.length > 0) await releaseRecords(tx, key, name, { ids, itemIds })
  if (page.bad.length > 0) aside.quarantine = true
  await quarantineRecords(tx, key, name, page.bad, nowMs)
}
