import type { CheckpointDiffers } from '#destinations/contract.ts'
import { renumberChanges } from '#store/items/changes.ts'
import { type Cursor, failCursor, holdCursor, setCursorPosition } from '#store/push/leases.ts'
import { type DeliverDeps, deliveryTimesOf } from '../deps.ts'

/** What it knows of the profile is as uncertain as its rows. */
const unknown = { ackedProfileDigest: undefined }

/**
 * The destination says that it is elsewhere than we think. Its word counts: it goes on from there. Undefined when this run has nothing
 * more to do.
 */
export async function mendCheckpoint(
  deps: DeliverDeps,
  cursor: Cursor,
  { checkpoint }: CheckpointDiffers,
): Promise<Cursor | undefined> {
  const leaseUntilMs = deps.clock.now() + deliveryTimesOf(deps).leaseMs
  // A newer run of ours has been there: this one was frozen.
  if (!(await holdCursor(deps.database, cursor, leaseUntilMs))) return undefined
  const there = checkpoint ?? { seq: 0, epoch: 0, updatedAtMs: 0 }
  const facts = { destination: cursor.destinationId, profile: cursor.profileId, ours: cursor.seq, theirs: there.seq }
  if (there.seq < 0) {
    deps.log.warn('a profile was erased at the destination; it stays erased', facts)
    await failCursor(deps.database, cursor, undefined, 'It was erased there, and our store is from before that.')
    return undefined
  }
  const place = { seq: Math.min(cursor.seq, there.seq), written: there.seq, epoch: cursor.epoch }
  if (there.epoch <= cursor.epoch) {
    deps.log.warn('a destination is older than what was written there; it is sent again from its own place', facts)
    return (await setCursorPosition(deps.database, cursor, place)) ? { ...cursor, ...place, ...unknown } : undefined
  }
  deps.log.warn('a destination has seen newer runs than our store knows of; the store was restored', facts)
  const ahead = { ...place, seq: there.seq, epoch: there.epoch + 1 }
  const isMine = await deps.database.transaction(async (tx) => {
    await renumberChanges(tx, cursor, { after: cursor.seq, seen: there.seq, sinceMs: there.updatedAtMs })
    return setCursorPosition(tx, cursor, ahead)
  })
  return isMine ? { ...cursor, ...ahead, ...unknown } : undefined
}

/** Who is to be forgotten is, also when our store was restored and knows less than the destination. */
export async function mendErasure(
  deps: DeliverDeps,
  cursor: Cursor,
  { checkpoint }: CheckpointDiffers,
): Promise<Cursor | undefined> {
  const epoch = Math.max(cursor.epoch, checkpoint?.epoch ?? 0) + 1
  return (await setCursorPosition(deps.database, cursor, { ...cursor, epoch })) ? { ...cursor, epoch } : undefined
}
