import { lastOf } from '#base/list-ends.ts'
import { goneBySeq, itemsById } from '#store/changes.ts'
import { deadLettersAfter, unburyRows } from '#store/deliveries.ts'
import { type Cursor, markDead } from '#store/delivery-leases.ts'
import { deliveryProfile, rowsOf } from './batch.ts'
import type { DeliverNeed } from './need.ts'
import { type Source, wantedOf } from './source.ts'
import { type Run, writeRecorded } from './write-recorded.ts'

const AT_ONCE = 100

/** Rows that were set aside, as they are now. Those that are refused again stay aside, with the new reason. */
export async function redriveRows(need: DeliverNeed, run: Run, cursor: Cursor, source: Source): Promise<void> {
  let after: string | undefined
  for (;;) {
    const letters = await deadLettersAfter(need.database, cursor, after, AT_ONCE)
    if (letters.length === 0) break
    after = lastOf(letters).itemId
    await redrivePage(need, run, cursor, source, letters)
  }
  if ((await deadLettersAfter(need.database, cursor, undefined, 1)).length === 0)
    await markDead(need.database, cursor, false)
}

async function redrivePage(
  need: DeliverNeed,
  run: Run,
  cursor: Cursor,
  source: Source,
  letters: { itemId: string; seq: number }[],
): Promise<void> {
  const ids = letters.map(({ itemId }) => itemId)
  const found = await itemsById(need.database, cursor, ids)
  const there = new Set(found.map(({ id }) => id))
  const missing = letters.filter(({ itemId }) => !there.has(itemId))
  // Where it is the deletion that was refused, that is tried again.
  const seqs = missing.map(({ seq }) => seq)
  const gone = (await goneBySeq(need.database, cursor, seqs)).filter(({ id }) => ids.includes(id))
  const refused = new Set(gone.map(({ id }) => id))
  // What went away since then was told as such, and needs nothing more.
  await unburyRows(
    need.database,
    cursor,
    missing.map(({ itemId }) => itemId).filter((id) => !refused.has(id)),
  )
  // What changed since then comes with the other changes.
  const items = found.filter(({ seq }) => seq <= cursor.seq)
  const rows = rowsOf(need.registry, source.profile, { items, gone }, await wantedOf(need, source, items), () => true)
  if (rows.length === 0) return
  await writeRecorded(
    need,
    run,
    { ...cursor, dead: true },
    {
      destinationId: run.destination.id,
      profile: deliveryProfile(source.profile),
      tellsProfile: false,
      rows,
      // The changes went before and found the checkpoint where it should be.
      from: 0,
      upTo: cursor.written,
      epoch: cursor.epoch,
      generation: cursor.generation,
    },
  )
}
