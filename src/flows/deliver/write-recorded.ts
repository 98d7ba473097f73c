import { reasonOf } from '#base/errors.ts'
import type { Destination } from '#model/destination.ts'
import { recordDelivery } from '#store/deliveries.ts'
import type { Cursor } from '#store/delivery-leases.ts'
import { type Batch, CheckpointDiffers, type Connection } from './destination.ts'
import type { Filter } from './filter.ts'
import { writeIsolating } from './isolate.ts'
import type { DeliverNeed } from './need.ts'

export interface Run {
  destination: Destination
  connection: Connection
  filter: Filter
  signal: AbortSignal
}

/** Writes a batch; every try can be looked at later. Gives how many rows are there. */
export async function writeRecorded(
  need: DeliverNeed,
  { destination, connection }: Run,
  cursor: Cursor,
  batch: Batch,
): Promise<number> {
  const at = need.clock.now()
  const beganAt = performance.now()
  const record = (ok: boolean, error?: string) =>
    recordDelivery(need.database, cursor, {
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
    const rows = await writeIsolating(need, destination, cursor, connection, batch)
    if (batch.rows.length > 0) await record(true)
    const tally = need.tallies.of(destination.kind)
    tally.rows += rows
    tally.batches += 1
    return rows
  } catch (error) {
    if (!(error instanceof CheckpointDiffers)) await record(false, reasonOf(error))
    throw error
  }
}
