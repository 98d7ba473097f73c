import { lastOf } from '#platform/formats/list-ends.ts'
import { type ChangedItem, itemsById, tombstonesBySeq } from '#store/items/changes.ts'
import { clearDeadLetters, deadLettersAfter } from '#store/push/deliveries.ts'
import { type Cursor, flagDeadLetters } from '#store/push/leases.ts'
import { deliveryProfile, rowsOf } from '../delivery-rows.ts'
import type { DeliverDeps } from '../deps.ts'
import { wantedItems } from '../filter.ts'
import type { ProfileSource } from '../profile-source.ts'
import type { DeliveryRun } from './delivery-run.ts'
import { writeBatch } from './write-batch.ts'

const PAGE_SIZE = 100

/** Delivers the dead letters of a profile in their current state. Rows that are rejected again stay, with the new reason. */
export async function redriveRows(
  deps: DeliverDeps,
  run: DeliveryRun,
  cursor: Cursor,
  source: ProfileSource,
): Promise<void> {
  let after: string | undefined
  for (;;) {
    const deadLetters = await deadLettersAfter(deps.database, cursor, after, PAGE_SIZE)
    if (deadLetters.length === 0) break
    after = lastOf(deadLetters).itemId
    await redrivePage(deps, run, cursor, source, deadLetters)
  }
  if ((await deadLettersAfter(deps.database, cursor, undefined, 1)).length === 0)
    await flagDeadLetters(deps.database, cursor, false)
}

async function redrivePage(
  deps: DeliverDeps,
  run: DeliveryRun,
  cursor: Cursor,
  source: ProfileSource,
  deadLetters: { itemId: string; seq: number }[],
): Promise<void> {
  const ids = deadLetters.map(({ itemId }) => itemId)
  const { items: shown, hidden } = await itemsById(deps.database, source.readable, ids)
  const found = [...shown, ...hidden]
  const foundIds = new Set(found.map(({ id }) => id))
  const deleted = deadLetters.filter(({ itemId }) => !foundIds.has(itemId))
  // If the delete itself was rejected, it is tried again.
  const seqs = deleted.map(({ seq }) => seq)
  const tombstones = (await tombstonesBySeq(deps.database, cursor, seqs)).filter(({ id }) => ids.includes(id))
  const rejectedDeletes = new Set(tombstones.map(({ id }) => id))
  // Items deleted after their row was rejected: the delete was delivered, so nothing is left to do.
  await clearDeadLetters(
    deps.database,
    cursor,
    deleted.map(({ itemId }) => itemId).filter((id) => !rejectedDeletes.has(id)),
  )
  // Items changed since then are delivered with the other changes.
  const isDelivered = ({ seq }: ChangedItem) => seq <= cursor.seq
  const rows = rowsOf(
    deps.registry,
    source.profile,
    { items: found.filter(isDelivered), tombstones },
    await wantedItems(deps, source, shown.filter(isDelivered)),
    () => true,
  )
  if (rows.length === 0) return
  await writeBatch(
    deps,
    run,
    { ...cursor, dead: true },
    {
      destinationId: run.destination.id,
      profile: deliveryProfile(source.profile),
      includesProfile: false,
      rows,
      // The changes were written before this and verified the checkpoint.
      from: 0,
      upTo: cursor.written,
      epoch: cursor.epoch,
      generation: cursor.generation,
    },
  )
}
