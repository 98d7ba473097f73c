import { type Batch, CheckpointDiffers, type Connection } from '#destinations/contract.ts'
import type { Destination } from '#model/destination.ts'
import { reasonOf } from '#platform/errors.ts'
import { recordDelivery } from '#store/push/deliveries.ts'
import type { Cursor } from '#store/push/leases.ts'
import type { DeliverDeps } from '../deps.ts'
import type { Filter } from '../filter.ts'
import { writeIsolating } from './bisect-rejects.ts'

export interface Run {
  destination: Destination
  connection: Connection
  filter: Filter
  signal: AbortSignal
}

/** Writes a batch; every try can be looked at later. Gives how many rows are there. */
export async function writeRecorded(
  deps: DeliverDeps,
  { destination, connection }: Run,
  cursor: Cursor,
  batch: Batch,
): Promise<number> {
  const at = deps.clock.now()
  const beganAt = performance.now()
  const record = (ok: boolean, error?: string) =>
    recordDelivery(deps.database, cursor, {
      at,
      ms: Math.round(performance.now() - beganAt),
      attempt: cursor.fails + 1,
      rows: batch.rows.length,
      firstSeq: batch.rows[0]?.seq,
      lastSeq: batch.rows.at(-1)?.seq,
      ok,
      error,
    })
  try {
    const rows = await writeIsolating(deps, destination, cursor, connection, batch)
    if (batch.rows.length > 0) await record(true)
    const counters = deps.pushCounters.of(destination.kind)
    counters.rows += rows
    counters.batches += 1
    return rows
  } catch (error) {
    if (!(error instanceof CheckpointDiffers)) await record(false, reasonOf(error))
    throw error
  }
}
