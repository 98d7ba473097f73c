import { newId } from '#platform/crypto/ids.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { ReplayStart } from './destination-cursors.ts'

/** What all cursors of a destination have to get. Every step may be repeated. */
export interface CursorSweep {
  /** Revoke the leases of running deliveries. */
  stopRuns?: true
  /** Whether the destination has a schedule. */
  scheduled?: boolean
  rewinds?: ReplayStart[]
  /** Try the dead letters again. */
  redrive?: true
  /** Make cursors with undelivered changes due. */
  wake?: true
}

/** A sweep as it is stored: since when it is under way, and by whom. */
export interface PendingSweep extends CursorSweep {
  id: string
  at: number
}

const lock = statement('sweep-lock', 'select pending_sweep from destination where id = $destinationId for update')
const set = statement('sweep-set', 'update destination set pending_sweep = $sweep where id = $destinationId')
const findOld = statement(
  'sweep-find',
  `select id, pending_sweep from destination where (pending_sweep->>'at')::bigint < $beforeMs order by id`,
)
const takeOver = statement(
  'sweep-take-over',
  `update destination set pending_sweep = $sweep where id = $destinationId and pending_sweep->>'id' = $sweepId`,
)
const finish = statement(
  'sweep-finish',
  `update destination set pending_sweep = null where id = $destinationId and pending_sweep->>'id' = $sweepId`,
)

/**
 * Stores a sweep in the transaction of the change that needs it. The caller sweeps after the transaction; if it is killed,
 * a planner does. One that another caller has not finished is included, and ends there.
 */
export async function addSweep(
  tx: Queries,
  destinationId: string,
  sweep: CursorSweep,
  nowMs: number,
): Promise<PendingSweep> {
  const [row] = await tx.rows<{ pending_sweep: PendingSweep | null }>(lock.with({ destinationId }))
  const before: CursorSweep = row?.pending_sweep ?? {}
  const rewinds = mergeRewinds([...(before.rewinds ?? []), ...(sweep.rewinds ?? [])])
  const pending = { ...before, ...sweep, ...(rewinds.length === 0 ? {} : { rewinds }), id: newId(nowMs), at: nowMs }
  await tx.count(set.with({ destinationId, sweep: JSON.stringify(pending) }))
  return pending
}

/** From the beginning includes all others. */
function mergeRewinds(rewinds: ReplayStart[]): ReplayStart[] {
  const distinct = [...new Map(rewinds.map((each) => [JSON.stringify(each), each])).values()]
  return distinct.find((each) => 'seq' in each && each.seq === 0) === undefined ? distinct : [{ seq: 0 }]
}

/** Sweeps that began before a time and are not finished. */
export async function findOldSweeps(
  queries: Queries,
  beforeMs: number,
): Promise<{ destinationId: string; sweep: PendingSweep }[]> {
  const rows = await queries.rows<{ id: string; pending_sweep: PendingSweep }>(findOld.with({ beforeMs }))
  return rows.map(({ id, pending_sweep: sweep }) => ({ destinationId: id, sweep }))
}

/** Undefined when another process finished it or took it over. */
export async function takeOverSweep(
  queries: Queries,
  destinationId: string,
  sweep: PendingSweep,
  nowMs: number,
): Promise<PendingSweep | undefined> {
  const taken = { ...sweep, id: newId(nowMs), at: nowMs }
  const values = { destinationId, sweepId: sweep.id, sweep: JSON.stringify(taken) }
  return (await queries.count(takeOver.with(values))) > 0 ? taken : undefined
}

export async function finishSweep(queries: Queries, destinationId: string, { id }: PendingSweep): Promise<void> {
  await queries.count(finish.with({ destinationId, sweepId: id }))
}
