import { codeOf } from '#platform/errors.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { insertChildItems } from '#store/items/child-items.ts'
import { countItemsOfHour } from '#store/items/item-hours.ts'
import { rehashItems, removeItems, upsertItems } from '#store/items/items.ts'
import { markDeliveriesDue } from '#store/push/cursors.ts'
import { ensureParents } from '#store/sync/child-checkpoints.ts'
import { quarantineRecords, releaseRecords } from '#store/sync/quarantine.ts'
import { keepFaults } from '#store/sync/reader-faults.ts'
import { holdProfile } from '#store/sync/schedule.ts'
import { type LosslessJson, parseStored } from '#upstream/body/lossless-json.ts'
import { leaseEnd, type SyncDeps } from '../deps.ts'
import { badRecord } from '../diff/bad-record.ts'
import { diffPage, emptyDiff, type PageDiff } from '../diff/diff-page.ts'
import type { ItemStream } from '../diff/item-stream.ts'
import type { EndpointRun } from '../walk/endpoint-run.ts'
import { countersOf } from '../walk/run-log.ts'

/** The lease of the profile was taken over or revoked: this run must not write. */
export class LeaseLost extends Error {
  override name = 'LeaseLost'
}

export interface Ingested {
  added: number
  changed: number
  removed: number
  /** Ids of the new and changed items. */
  written: string[]
  /** Ids of everything the page showed, stored or not. */
  seen: string[]
}

/** Written in the transaction of the items, knowing what was written. `lastSeq` is the last reserved `seq`. */
export type AfterItems = (tx: Queries, ingested: Ingested, lastSeq: number) => Promise<void>

/**
 * One transaction under the fence: the items, their tombstones, faults and quarantine, and what `afterItems` writes. It waits for
 * the fence and for the commit: the statements between them are sent together.
 * Records that the database refuses are found by bisecting and quarantined; the others are stored. `extraSeqs` reserves
 * further numbers.
 */
export async function commitPage(
  deps: SyncDeps,
  run: EndpointRun,
  page: PageDiff,
  nowMs: number,
  extraSeqs: number,
  afterItems: AfterItems,
): Promise<void> {
  const commit = async (content: PageDiff) => {
    const ingested = await deps.database.transaction(async (tx) => {
      const lastSeq = await passFence(deps, tx, run, seqsFor(content) + extraSeqs)
      const written = await writeDiff(tx, run.stream, content, lastSeq - extraSeqs, nowMs)
      await afterItems(tx, written, lastSeq)
      const { added, changed } = written
      await countItemsOfHour(tx, run.profileKey, { added, updated: changed - added }, nowMs)
      return written
    })
    const counters = countersOf(run, run.name, nowMs)
    counters.added += ingested.added
    counters.changed += ingested.changed - ingested.added
    counters.deleted += ingested.removed + extraSeqs
    counters.quarantined += content.quarantined.length
  }
  try {
    await commit(page)
  } catch (error) {
    if (!isRefusedData(error) || page.rows.length === 0) throw error
    const refused = new Set(await refusedRows(deps, run, page.rows, nowMs))
    const bad = [...refused].map(({ id, data }) => badRecord(parseStored(data), 'the database refused it', id))
    const rows = page.rows.filter((row) => !refused.has(row))
    await commit({ ...page, rows, quarantined: [...page.quarantined, ...bad] })
  }
}

/** Proves that the lease is still held, extends it and reserves numbers. Returns the last reserved `seq`. */
async function passFence(deps: SyncDeps, tx: Queries, run: EndpointRun, seqs: number): Promise<number> {
  const lastSeq = await holdProfile(tx, run.profileKey, run.token, leaseEnd(deps), seqs)
  if (lastSeq === undefined) throw new LeaseLost('another run has the lease of this profile')
  return lastSeq
}

/**
 * Diffs one page and writes it, inside the caller's transaction. `lastSeq` is the last of as many reserved numbers as
 * there are records.
 */
export async function ingest(
  tx: Queries,
  stream: ItemStream,
  records: LosslessJson[],
  lastSeq: number,
  nowMs: number,
): Promise<Ingested> {
  return writeDiff(tx, stream, await diffPage(tx, stream, records, nowMs), lastSeq, nowMs)
}

function seqsFor({ rows, deleted }: PageDiff): number {
  return rows.length + deleted.length
}

/** Writes a diff inside the caller's transaction. `lastSeq` is the last of the numbers reserved for it. */
export async function writeDiff(
  tx: Queries,
  stream: ItemStream,
  page: PageDiff,
  lastSeq: number,
  nowMs: number,
): Promise<Ingested> {
  const { profileKey, name } = stream
  const firstSeq = lastSeq - seqsFor(page) + 1
  const rows = page.rows.map((row, i) => ({ ...row, seq: firstSeq + i }))
  await upsertItems(tx, profileKey, name, rows, nowMs)
  await rehashItems(tx, profileKey, page.reserialized)
  const removed = await removeItems(tx, profileKey, page.deleted, firstSeq + rows.length, nowMs)
  if (rows.length + removed > 0) await markDeliveriesDue(tx, profileKey, nowMs)
  await writeFaults(tx, stream, page, nowMs)
  await writeQuarantine(tx, stream, page, nowMs)
  await writeLinks(tx, stream, page)
  const added = rows.reduce((sum, { isNew }) => sum + (isNew ? 1 : 0), 0)
  return { added, changed: rows.length, removed, written: rows.map(({ id }) => id), seen: page.seen }
}

/** Replaces the faults of the items on the page. Most endpoints have none, and need no statement. */
async function writeFaults(tx: Queries, stream: ItemStream, page: PageDiff, nowMs: number): Promise<void> {
  if (page.faults.count === 0 && (!stream.hasFaults || seqsFor(page) === 0)) return
  stream.hasFaults = true
  const itemIds = [...page.rows.map(({ id }) => id), ...page.deleted]
  await keepFaults(tx, stream.profileKey, stream.name, page.faults, itemIds, nowMs)
}

/** Releases quarantined records that are stored or deleted now, then adds those of this page. */
async function writeQuarantine(tx: Queries, stream: ItemStream, page: PageDiff, nowMs: number): Promise<void> {
  const { profileKey, name } = stream
  if (stream.hasQuarantined && page.releases.length + page.deleted.length > 0) {
    const ids = page.releases.map(({ content }) => content)
    const itemIds = [...page.releases.map(({ id }) => id), ...page.deleted]
    await releaseRecords(tx, profileKey, name, { ids, itemIds })
  }
  if (page.quarantined.length > 0) stream.hasQuarantined = true
  await quarantineRecords(tx, profileKey, name, page.quarantined, nowMs)
}

/** Child items, with a row for each parent that has none yet. */
async function writeLinks(tx: Queries, { profileKey, name }: ItemStream, { links }: PageDiff): Promise<void> {
  if (links.length === 0) return
  const key = { ...profileKey, endpoint: name }
  await ensureParents(tx, key, [...new Set(links.map(({ parent }) => parent))])
  await insertChildItems(tx, key, links)
}

/** Rolls back a trial write. */
class TrialEnded extends Error {}

/** Bisects: each half is written in a transaction that is rolled back. */
async function refusedRows(
  deps: SyncDeps,
  run: EndpointRun,
  rows: PageDiff['rows'],
  nowMs: number,
): Promise<PageDiff['rows']> {
  try {
    await deps.database.transaction(async (tx) => {
      // Without `send`: every statement is waited for, because there is no commit that would be refused.
      await writeDiff({ ...tx, send: undefined }, run.stream, { ...emptyDiff(), rows }, Number.MAX_SAFE_INTEGER, nowMs)
      throw new TrialEnded()
    })
  } catch (error) {
    if (error instanceof TrialEnded) return []
    if (!isRefusedData(error)) throw error
  }
  if (rows.length === 1) return rows
  const half = Math.ceil(rows.length / 2)
  const halves = [rows.slice(0, half), rows.slice(half)]
  return (await Promise.all(halves.map((each) => refusedRows(deps, run, each, nowMs)))).flat()
}

// SQLSTATE classes: values that no column accepts, constraints, and sizes beyond a limit.
function isRefusedData(error: unknown): boolean {
  return /^(22|23|54)[0-9A-Z]{3}$/.test(codeOf(error) ?? '')
}
