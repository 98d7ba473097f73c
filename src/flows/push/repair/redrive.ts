import { lastOf } from '#platform/list-ends.ts'
import { itemsById, tombstonesBySeq } from '#store/items/changes.ts'
import { clearDeadLetters, deadLettersAfter } from '#store/push/deliveries.ts'
import { type Cursor, flagDeadLetters } from '#store/push/leases.ts'
import { deliveryProfile, rowsOf } from '../deliver/batch.ts'
import { type Source, wantedOf } from '../deliver/source.ts'
import { type Run, writeRecorded } from '../deliver/write-batch.ts'
import type { DeliverDeps } from '../deps.ts'

const AT_ONCE = 100

/** Rows that were set aside, as they are now. Those that are refused again stay aside, with the new reason. */
export async function redriveRows(deps: DeliverDeps, run: Run, cursor: Cursor, source: Source): Promise<void> {
  let after: string | undefined
  for (;;) {
    const deadLetters = await deadLettersAfter(deps.database, cursor, after, AT_ONCE)
    if (deadLetters.length === 0) break
    after = lastOf(deadLetters).itemId
    await redrivePage(deps, run, cursor, source, deadLetters)
  }
  if ((await deadLettersAfter(deps.database, cursor, undefined, 1)).length === 0)
    await flagDeadLetters(deps.database, cursor, false)
}

async function redrivePage(
  deps: DeliverDeps,
  run: Run,
  cursor: Cursor,
  source: Source,
  deadLetters: { itemId: string; seq: number }[],
): Promise<void> {
  const ids = deadLetters.map(({ itemId }) => itemId)
  const found = await itemsById(deps.database, cursor, ids)
  const there = new Set(found.map(({ id }) => id))
  const missing = deadLetters.filter(({ itemId }) => !there.has(itemId))
  // Where it is the deletion that was refused, that is tried again.
  const seqs = missing.map(({ seq }) => seq)
  const tombstones = (await tombstonesBySeq(deps.database, cursor, seqs)).filter(({ id }) => ids.includes(id))
  const refused = new Set(tombstones.map(({ id }) => id))
  // What went away since then was told as such, and needs nothing more.
  await clearDeadLetters(
    deps.database,
    cursor,
    missing.map(({ itemId }) => itemId).filter((id) => !refused.has(id)),
  )
  // What changed since then comes with the other changes.
  const items = found.filter(({ seq }) => seq <= cursor.seq)
  const rows = rowsOf(
    deps.registry,
    source.profile,
    { items, tombstones },
    await wantedOf(deps, source, items),
    () => true,
  )
  if (rows.length === 0) return
  await writeRecorded(
    deps,
    run,
    { ...cursor, dead: true },
    {
      destinationId: run.destination.id,
      profile: deliveryProfile(source.profile),
      includesProfile: false,
      rows,
      // The changes went before and found the checkpoint where it should be.
      from: 0,
      upTo: cursor.written,
      epoch: cursor.epoch,
      generation: cursor.generation,
    },
  )
}
