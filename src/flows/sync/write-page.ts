import { codeOf } from '#base/errors.ts'
import type { Endpoint } from '#kit/endpoint.ts'
import type { SyncRules } from '#model/sync-rules.ts'
import type { Queries } from '#store/database.ts'
import type { EndpointState } from '#store/sync-endpoints.ts'
import { holdProfile, type ProfileKey } from '#store/sync-schedule.ts'
import { parseStored } from '#upstream/body/lossless-json.ts'
import { type Absorbed, numbersFor, writeDigest } from './absorb.ts'
import { badRecord, type Digest, emptyDigest, type Stream } from './digest.ts'
import { leaseEnd, type SyncNeed } from './need.ts'
import type { Target } from './target.ts'

/** Somebody else took the profile: nothing we know counts any more. */
export class Overtaken extends Error {
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
export type Then = (tx: Queries, absorbed: Absorbed, lastSeq: number) => Promise<void>

/**
 * One transaction under the fence: items, their traces, and whatever goes with them. A record that the database itself
 * refuses is found by trying, put aside, and the others go in without it. `more` asks for numbers beyond those of the items.
 */
export async function writeUnderFence(
  need: SyncNeed,
  run: EndpointRun,
  page: Digest,
  nowMs: number,
  more: number,
  then: Then,
): Promise<void> {
  const settle = (content: Digest) =>
    need.database.transaction(async (tx) => {
      const lastSeq = await fence(need, tx, run, numbersFor(content) + more)
      await then(tx, await writeDigest(tx, run.stream, content, lastSeq - more, nowMs), lastSeq)
    })
  try {
    await settle(page)
  } catch (error) {
    if (!isRefusedData(error) || page.rows.length === 0) throw error
    const refused = new Set(await refusedRows(need, run, page.rows, nowMs))
    const bad = [...refused].map(({ id, data }) => badRecord(parseStored(data), 'the database refused it', id))
    await settle({ ...page, rows: page.rows.filter((row) => !refused.has(row)), bad: [...page.bad, ...bad] })
  }
}

async function fence(need: SyncNeed, tx: Queries, run: EndpointRun, count: number): Promise<number> {
  const seq = await holdProfile(tx, run.owner, run.token, leaseEnd(need), count)
  if (seq === undefined) throw new Overtaken('another worker has this profile now')
  return seq
}

class OnlyTried extends Error {}

/** By halves, each tried and undone. */
async function refusedRows(
  need: SyncNeed,
  run: EndpointRun,
  rows: Digest['rows'],
  nowMs: number,
): Promise<Digest['rows']> {
  try {
    await need.database.transaction(async (tx) => {
      await writeDigest(tx, run.stream, { ...emptyDigest(), rows }, Number.MAX_SAFE_INTEGER, nowMs)
      throw new OnlyTried()
    })
  } catch (error) {
    if (error instanceof OnlyTried) return []
    if (!isRefusedData(error)) throw error
  }
  if (rows.length === 1) return rows
  const half = Math.ceil(rows.length / 2)
  const halves = [rows.slice(0, half), rows.slice(half)]
  return (await Promise.all(halves.map((each) => refusedRows(need, run, each, nowMs)))).flat()
}

// Values that no column takes, and sizes that no index takes.
function isRefusedData(error: unknown): boolean {
  return /^(22|23|54)[0-9A-Z]{3}$/.test(codeOf(error) ?? '')
}
