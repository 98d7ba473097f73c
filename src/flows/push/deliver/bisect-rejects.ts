import { type Batch, type Connection, DeliveryError } from '#destinations/contract.ts'
import type { DeliveryRow, Destination } from '#model/destination.ts'
import { firstOf, lastOf } from '#platform/list-ends.ts'
import { addDeadLetter, clearDeadLetters } from '#store/push/deliveries.ts'
import { type Cursor, flagDeadLetters } from '#store/push/leases.ts'
import type { DeliverDeps } from '../deps.ts'
import { raiseEvent } from '../events.ts'

/** When so many and more than half of a batch are refused, it is not the rows. */
const FEW = 20

interface Refused {
  itemId: string
  seq: number
  reason: string
}

/**
 * Limit: bad rows of a batch that are looked for by the names a destination gave; when there are more, the batch is
 * halved instead.
 */
const MAX_NAMED = 8

/**
 * Writes a batch. Rows that the destination will never take are set aside with the reason, and the others go on: those that it names
 * are found at once, the rest by halving. Gives how many are there.
 */
export async function writeIsolating(
  deps: DeliverDeps,
  destination: Destination,
  cursor: Cursor,
  connection: Connection,
  batch: Batch,
): Promise<number> {
  const refused: Refused[] = []
  await writeNamed(connection, batch, refused, Math.max(FEW, batch.rows.length / 2))
  if (cursor.dead) {
    const still = new Set(refused.map(({ itemId }) => itemId))
    const there = batch.rows.map(({ id }) => id.slice(0, 32)).filter((id) => !still.has(id))
    await clearDeadLetters(deps.database, cursor, there)
  }
  if (refused.length > 0) await setAside(deps, destination, cursor, refused)
  return batch.rows.length - refused.length
}

/** Most servers say which row they refuse: two writes for each, where halving needs two for every time the batch can be halved. */
async function writeNamed(connection: Connection, batch: Batch, refused: Refused[], most: number): Promise<void> {
  let { rows } = batch
  for (;;) {
    const error = await refusalOf(connection, { ...batch, rows })
    if (error === undefined) return
    const named = refused.length < MAX_NAMED ? rows.find(({ id }) => id === error.rowId) : undefined
    // A name may be wrong, because of a trigger of theirs for one, and must not cost a good row: it is tried alone.
    const alone = named && (await refusalOf(connection, { ...batch, rows: [named], upTo: batch.from }))
    if (named === undefined || alone === undefined) break
    refused.push(refusedRow(named, alone))
    rows = rows.filter((row) => row !== named)
  }
  await writeHalves(connection, { ...batch, rows }, refused, most)
  // The halves only went up to their own rows; the checkpoint has to stand where the batch ends.
  await connection.write({ ...batch, rows: [] })
}

async function writeHalves(connection: Connection, batch: Batch, refused: Refused[], most: number): Promise<void> {
  const middle = batch.rows.length >> 1
  for (const rows of [batch.rows.slice(0, middle), batch.rows.slice(middle)]) {
    const [first] = rows
    if (first === undefined) continue
    const half = { ...batch, rows, upTo: lastOf(rows).seq }
    const error = await refusalOf(connection, half)
    if (error === undefined) continue
    if (rows.length > 1) {
      await writeHalves(connection, half, refused, most)
      continue
    }
    refused.push(refusedRow(first, error))
    if (refused.length > most)
      throw new DeliveryError('retry', `Most rows are refused: ${error.message}`, { cause: error })
  }
}

/** Undefined when the rows are there. */
async function refusalOf(connection: Connection, batch: Batch): Promise<DeliveryError | undefined> {
  try {
    await connection.write(batch)
    return undefined
  } catch (error) {
    if (!(error instanceof DeliveryError) || error.recovery !== 'reject') throw error
    // Without rows, what was refused is the profile itself: nothing to set aside.
    if (batch.rows.length === 0) throw new DeliveryError('retry', error.message, { cause: error })
    return error
  }
}

function refusedRow({ id, seq }: DeliveryRow, { message: reason }: DeliveryError): Refused {
  return { itemId: id.slice(0, 32), seq, reason }
}

async function setAside(
  deps: DeliverDeps,
  destination: Destination,
  cursor: Cursor,
  refused: Refused[],
): Promise<void> {
  const nowMs = deps.clock.now()
  await deps.database.transaction(async (tx) => {
    for (const { itemId, seq, reason } of refused) await addDeadLetter(tx, cursor, itemId, seq, reason, nowMs)
    await flagDeadLetters(tx, cursor, true)
    await raiseEvent(deps, tx, destination, 'delivery.dead_lettered', {
      profile: cursor.profileId,
      items: refused.length,
      reason: firstOf(refused).reason,
    })
  })
  deps.pushCounters.of(destination.kind).deadLetters += refused.length
  deps.log.warn('rows were set aside', {
    destination: destination.id,
    rows: refused.length,
    reason: firstOf(refused).reason,
  })
}
