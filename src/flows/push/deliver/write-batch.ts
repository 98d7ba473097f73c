import { type Batch, CheckpointDiffers } from '#destinations/contract.ts'
import type { DeliveryRow } from '#model/apps/destination.ts'
import { reasonOf } from '#platform/errors.ts'
import { recordDelivery } from '#store/push/deliveries.ts'
import type { Cursor } from '#store/push/leases.ts'
import type { DeliverDeps } from '../deps.ts'
import { writeBisecting } from './bisect-rejects.ts'
import type { DeliveryRun } from './delivery-run.ts'

/** Writes a batch and records the attempt in the delivery history. Returns how many rows the destination accepted. */
export async function writeBatch(
  deps: DeliverDeps,
  { destination, connection }: DeliveryRun,
  cursor: Cursor,
  batch: Batch,
): Promise<number> {
  const at = deps.clock.now()
  const startedAt = performance.now()
  const oldest = batch.rows.length === 0 ? undefined : Math.min(...batch.rows.map(changedAt))
  const record = (ok: boolean, error?: string) =>
    recordDelivery(deps.database, cursor, {
      at,
      ms: Math.round(performance.now() - startedAt),
      attempt: cursor.fails + 1,
      rows: batch.rows.length,
      firstSeq: batch.rows[0]?.seq,
      lastSeq: batch.rows.at(-1)?.seq,
      ok,
      error,
      lagMs: oldest === undefined ? undefined : Math.max(0, at - oldest),
    })
  try {
    const rows = await writeBisecting(deps, destination, cursor, connection, batch)
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

const changedAt = (row: DeliveryRow): number => (row.op === 'put' ? row.updatedAt : row.deletedAt)
