import type { Queries } from '#store/database.ts'
import { markDeliveriesDue } from '#store/delivery-cursors.ts'
import { rehashItems, removeItems, upsertItems } from '#store/items.ts'
import { quarantineRecords } from '#store/quarantine.ts'
import type { LosslessJson } from '#upstream/body/lossless-json.ts'
import { type Digest, digest, type Stream } from './digest.ts'

export { openStream, type Stream } from './digest.ts'

export interface Absorbed {
  added: number
  changed: number
  removed: number
  faults: number
  quarantined: number
  /** Ids of everything the page showed, stored or not. */
  seen: string[]
}

/** One page of records into the store, inside the caller's transaction. `lastSeq` is the last of as many numbers as there are records. */
export async function absorb(
  tx: Queries,
  stream: Stream,
  records: LosslessJson[],
  lastSeq: number,
  nowMs: number,
): Promise<Absorbed> {
  return writeDigest(tx, stream, await digest(tx, stream, records, nowMs), lastSeq, nowMs)
}

/** How many numbers in the order of changes a page may need. */
export function numbersFor({ rows, gone }: Digest): number {
  return rows.length + gone.length
}

/** Writes what a page means, inside the caller's transaction. `lastSeq` is the last of the numbers it asked for. */
export async function writeDigest(
  tx: Queries,
  stream: Stream,
  page: Digest,
  lastSeq: number,
  nowMs: number,
): Promise<Absorbed> {
  const firstSeq = lastSeq - numbersFor(page) + 1
  const rows = page.rows.map((row, i) => ({ ...row, seq: firstSeq + i }))
  await upsertItems(tx, stream.key, stream.name, rows, nowMs)
  await rehashItems(tx, stream.key, page.respelled)
  const removed = await removeItems(tx, stream.key, page.gone, firstSeq + rows.length, nowMs)
  if (rows.length + removed > 0) await markDeliveriesDue(tx, stream.key, nowMs)
  const quarantined = await quarantineRecords(tx, stream.key, stream.name, page.bad, nowMs)
  const added = rows.reduce((sum, { isNew }) => sum + (isNew ? 1 : 0), 0)
  return { added, changed: rows.length, removed, faults: page.faults, quarantined, seen: page.seen }
}
