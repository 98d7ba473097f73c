import { type Batch, type Connection, DeliveryError } from '#destinations/contract.ts'
import type { DeliveryRow, Destination } from '#model/apps/destination.ts'
import { firstOf, lastOf } from '#platform/formats/list-ends.ts'
import { addDeadLetter, clearDeadLetters } from '#store/push/deliveries.ts'
import { type Cursor, flagDeadLetters } from '#store/push/leases.ts'
import type { DeliverDeps } from '../deps.ts'
import { raiseEvent } from '../events.ts'

/**
 * Limit: rejected rows of a batch that never count as a fault of the destination. When more are rejected, and more than half
 * of the batch, the delivery fails and no row becomes a dead letter.
 */
const MIN_PLAUSIBLE_REJECTS = 20

interface RejectedRow {
  itemId: string
  seq: number
  reason: string
}

/**
 * Limit: rejected rows of a batch that are found by the id that the destination named. When there are more, the batch is
 * halved instead.
 */
const MAX_NAMED_REJECTS = 8

/**
 * Writes a batch. Rows that the destination will never accept become dead letters, and the others are delivered: rejected
 * rows that the destination names are found at once, the rest by halving. Returns how many rows were accepted.
 */
export async function writeBisecting(
  deps: DeliverDeps,
  destination: Destination,
  cursor: Cursor,
  connection: Connection,
  batch: Batch,
): Promise<number> {
  const rejected: RejectedRow[] = []
  await writeWithoutNamed(connection, batch, rejected, Math.max(MIN_PLAUSIBLE_REJECTS, batch.rows.length / 2))
  if (cursor.dead) {
    const rejectedIds = new Set(rejected.map(({ itemId }) => itemId))
    const accepted = batch.rows.map(({ id }) => id.slice(0, 32)).filter((id) => !rejectedIds.has(id))
    await clearDeadLetters(deps.database, cursor, accepted)
  }
  if (rejected.length > 0) await addDeadLetters(deps, destination, cursor, rejected)
  return batch.rows.length - rejected.length
}

/** Most servers name the row that they reject. Finding it costs two writes then, instead of two per halving. */
async function writeWithoutNamed(
  connection: Connection,
  batch: Batch,
  rejected: RejectedRow[],
  maxRejects: number,
): Promise<void> {
  let { rows } = batch
  for (;;) {
    const error = await rejectionOf(connection, { ...batch, rows })
    if (error === undefined) return
    const named = rejected.length < MAX_NAMED_REJECTS ? rows.find(({ id }) => id === error.rowId) : undefined
    // The name may be wrong, for example because of a trigger: writing the row alone protects a good row.
    const confirmed = named && (await rejectionOf(connection, { ...batch, rows: [named], upTo: batch.from }))
    if (named === undefined || confirmed === undefined) break
    rejected.push(rejectedRow(named, confirmed))
    rows = rows.filter((row) => row !== named)
  }
  await writeHalves(connection, { ...batch, rows }, rejected, maxRejects)
  // Each half moved the checkpoint to its own last row; now it moves to the end of the batch.
  await connection.write({ ...batch, rows: [] })
}

async function writeHalves(
  connection: Connection,
  batch: Batch,
  rejected: RejectedRow[],
  maxRejects: number,
): Promise<void> {
  const middle = batch.rows.length >> 1
  for (const rows of [batch.rows.slice(0, middle), batch.rows.slice(middle)]) {
    const [first] = rows
    if (first === undefined) continue
    const half = { ...batch, rows, upTo: lastOf(rows).seq }
    const error = await rejectionOf(connection, half)
    if (error === undefined) continue
    if (rows.length > 1) {
      await writeHalves(connection, half, rejected, maxRejects)
      continue
    }
    rejected.push(rejectedRow(first, error))
    if (rejected.length > maxRejects)
      throw new DeliveryError('retry', `Most rows are rejected: ${error.message}`, { cause: error })
  }
}

/** Undefined when the destination accepted the rows. */
async function rejectionOf(connection: Connection, batch: Batch): Promise<DeliveryError | undefined> {
  try {
    await connection.write(batch)
    return undefined
  } catch (error) {
    if (!(error instanceof DeliveryError) || error.recovery !== 'reject') throw error
    // A rejected batch without rows means that the profile itself was rejected: there is no row to set aside.
    if (batch.rows.length === 0) throw new DeliveryError('retry', error.message, { cause: error })
    return error
  }
}

function rejectedRow({ id, seq }: DeliveryRow, { message: reason }: DeliveryError): RejectedRow {
  return { itemId: id.slice(0, 32), seq, reason }
}

async function addDeadLetters(
  deps: DeliverDeps,
  destination: Destination,
  cursor: Cursor,
  rejected: RejectedRow[],
): Promise<void> {
  const nowMs = deps.clock.now()
  await deps.database.transaction(async (tx) => {
    for (const { itemId, seq, reason } of rejected) await addDeadLetter(tx, cursor, itemId, seq, reason, nowMs)
    await flagDeadLetters(tx, cursor, true)
    await raiseEvent(deps, tx, destination, 'delivery.dead_lettered', {
      profile: cursor.profileId,
      items: rejected.length,
      reason: firstOf(rejected).reason,
    })
  })
  deps.pushCounters.of(destination.kind).deadLetters += rejected.length
  deps.log.warn('a destination rejected rows; they are dead letters now', {
    destination: destination.id,
    rows: rejected.length,
    reason: firstOf(rejected).reason,
  })
}
