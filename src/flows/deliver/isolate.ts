import type { Destination } from '#model/destination.ts'
import { buryRow, unburyRows } from '#store/deliveries.ts'
import { type Cursor, markDead } from '#store/delivery-leases.ts'
import { type Batch, type Connection, DeliveryError } from './destination.ts'
import { raiseEvent } from './events.ts'
import type { DeliverNeed } from './need.ts'
import { tallyOf } from './tally.ts'

/** When so many and more than half of a batch are refused, it is not the rows. */
const FEW = 20

interface Refused {
  itemId: string
  seq: number
  reason: string
}

/**
 * Writes a batch. Rows that the destination will never take are found by halving and set aside with the reason, and the others go
 * on. Gives how many are there.
 */
export async function writeIsolating(
  need: DeliverNeed,
  destination: Destination,
  cursor: Cursor,
  connection: Connection,
  batch: Batch,
): Promise<number> {
  const refused: Refused[] = []
  await writeHalving(connection, batch, refused, Math.max(FEW, batch.rows.length / 2))
  // The halves only went up to their own rows; the checkpoint has to stand where the batch ends.
  if (refused.length > 0) await connection.write({ ...batch, rows: [] })
  if (cursor.dead) {
    const still = new Set(refused.map(({ itemId }) => itemId))
    const there = batch.rows.map(({ id }) => id.slice(0, 32)).filter((id) => !still.has(id))
    await unburyRows(need.database, cursor, there)
  }
  if (refused.length > 0) await setAside(need, destination, cursor, refused)
  return batch.rows.length - refused.length
}

async function writeHalving(connection: Connection, batch: Batch, refused: Refused[], most: number): Promise<void> {
  const { rows } = batch
  try {
    await connection.write(batch)
  } catch (error) {
    if (!(error instanceof DeliveryError) || error.recovery !== 'reject') throw error
    const [only] = rows
    // Without rows, what was refused is the profile itself: nothing to set aside.
    if (only === undefined) throw new DeliveryError('retry', error.message, { cause: error })
    if (rows.length === 1) {
      refused.push({ itemId: only.id.slice(0, 32), seq: only.seq, reason: error.message })
      if (refused.length > most)
        throw new DeliveryError('retry', `Most rows are refused: ${error.message}`, { cause: error })
      return
    }
    const middle = rows.length >> 1
    for (const half of [rows.slice(0, middle), rows.slice(middle)])
      await writeHalving(connection, { ...batch, rows: half, upTo: half.at(-1)!.seq }, refused, most)
  }
}

async function setAside(
  need: DeliverNeed,
  destination: Destination,
  cursor: Cursor,
  refused: Refused[],
): Promise<void> {
  const nowMs = need.clock.now()
  await need.database.transaction(async (tx) => {
    for (const { itemId, seq, reason } of refused) await buryRow(tx, cursor, itemId, seq, reason, nowMs)
    await markDead(tx, cursor, true)
    await raiseEvent(need, tx, destination, 'delivery.dead_lettered', {
      profile: cursor.profileId,
      items: refused.length,
      reason: refused[0]!.reason,
    })
  })
  tallyOf(destination.kind).deadLetters += refused.length
  need.log.warn('rows were set aside', {
    destination: destination.id,
    rows: refused.length,
    reason: refused[0]!.reason,
  })
}
