import type { Endpoint } from '#kit/endpoint.ts'
import type { SyncRules } from '#model/sync-rules.ts'
import { codeOf } from '#platform/errors.ts'
import type { Queries } from '#platform/postgres/database.ts'
import type { EndpointState } from '#store/sync/endpoints.ts'
import { holdProfile, type ProfileKey } from '#store/sync/schedule.ts'
import { parseStored } from '#upstream/body/lossless-json.ts'
import { type Ingested, numbersFor, writeDiff } from './absorb.ts'
import { leaseEnd, type SyncDeps } from './deps.ts'
import { badRecord, emptyDiff, type PageDiff, type Stream } from './digest.ts'
import type { Target } from './target.ts'

/** Somebody else took the profile: nothing we know counts any more. */
export class LeaseLost extends Error {
  override name = 'Overtaken'
}

export interface EndpointRun extends Target {
  owner: ProfileKey
  name: string
  endpoint: Endpoint
  state: EndpointState
  stream: Stream
  rules: SyncRules
  /** The fence: only its holder settles. */
  token: string
  /** When to stop at the next page. */
  untilMs: number
  signal: AbortSignal
  /** Tells that the run moves on. */
  onPage: () => void
}

/** What else is written in the transaction of the items, knowing what became of them. `lastSeq` is the last number that was asked for. */
export type Then = (tx: Queries, ingested: Ingested, lastSeq: number) => Promise<void>

/**
 * One transaction under the fence: items, their traces, and whatever goes with them. A record that the database itself
 * refuses is found by trying, put aside, and the others go in without it. `more` asks for numbers beyond those of the items.
 */
export async function writeUnderFence(
  deps: SyncDeps,
  run: EndpointRun,
  page: PageDiff,
  nowMs: number,
  more: number,
  then: Then,
): Promise<void> {
  const settle = (content: PageDiff) =>
    deps.database.transaction(async (tx) => {
      const lastSeq = await fence(deps, tx, run, numbersFor(content) + more)
      await then(tx, await writeDiff(tx, run.stream, content, lastSeq - more, nowMs), lastSeq)
    })
  try {
    await settle(page)
  } catch (error) {
    if (!isRefusedData(error) || page.rows.length === 0) throw error
    const refused = new Set(await refusedRows(deps, run, page.rows, nowMs))
    const bad = [...refused].map(({ id, data }) => badRecord(parseStored(data), 'the database refused it', id))
    await settle({ ...page, rows: page.rows.filter((row) => !refused.has(row)), bad: [...page.bad, ...bad] })
  }
}

async function fence(deps: SyncDeps, tx: Queries, run: EndpointRun, count: number): Promise<number> {
  const seq = await holdProfile(tx, run.owner, run.token, leaseEnd(deps), count)
  if (seq === undefined) throw new LeaseLost('another worker has this profile now')
  return seq
}

class OnlyTried extends Error {}

/** By halves, each tried and undone. */
async function refusedRows(
  deps: SyncDeps,
  run: EndpointRun,
  rows: PageDiff['rows'],
  nowMs: number,
): Promise<PageDiff['rows']> {
  try {
    await deps.database.transaction(async (tx) => {
      await writeDiff(tx, run.stream, { ...emptyDiff(), rows }, Number.MAX_SAFE_INTEGER, nowMs)
      throw new OnlyTried()
    })
  } catch (error) {
    if (error instanceof OnlyTried) return []
    if (!isRefusedData(error)) throw error
  }
  if (rows.length === 1) return rows
  const half = Math.ceil(rows.length / 2)
  const halves = [rows.slice(0, half), rows.slice(half)]
  return (await Promise.all(halves.map((each) => refusedRows(deps, run, each, nowMs)))).flat()
}

// Values that no column takes, and sizes that no index takes.
function isRefusedData(error: unknown): boolean {
  return /^(22|23|54)[0-9A-Z]{3}$/.test(codeOf(error) ?? '')
}
