import { renumberChanges } from '#store/changes.ts'
import { type Cursor, failCursor, holdCursor, placeCursor } from '#store/delivery-leases.ts'
import type { CheckpointDiffers } from './destination.ts'
import { type DeliverNeed, deliveryTimesOf } from './need.ts'

/** What it knows of the profile is as uncertain as its rows. */
const unknown = { toldProfile: undefined }

/**
 * The destination says that it is elsewhere than we think. Its word counts: it goes on from there. Undefined when this run has nothing
 * more to do.
 */
export async function mendCheckpoint(
  need: DeliverNeed,
  cursor: Cursor,
  { checkpoint }: CheckpointDiffers,
): Promise<Cursor | undefined> {
  const leaseUntilMs = need.clock.now() + deliveryTimesOf(need).leaseMs
  // A newer run of ours has been there: this one was frozen.
  if (!(await holdCursor(need.database, cursor, leaseUntilMs))) return undefined
  const there = checkpoint ?? { seq: 0, epoch: 0, updatedAtMs: 0 }
  const facts = { destination: cursor.destinationId, profile: cursor.profileId, ours: cursor.seq, theirs: there.seq }
  if (there.seq < 0) {
    need.log.warn('a profile was erased at the destination; it stays erased', facts)
    await failCursor(need.database, cursor, undefined, 'It was erased there, and our store is from before that.')
    return undefined
  }
  const place = { seq: Math.min(cursor.seq, there.seq), written: there.seq, epoch: cursor.epoch }
  if (there.epoch <= cursor.epoch) {
    need.log.warn('a destination is older than what was written there; it is sent again from its own place', facts)
    return (await placeCursor(need.database, cursor, place)) ? { ...cursor, ...place, ...unknown } : undefined
  }
  need.log.warn('a destination has seen newer runs than our store knows of; the store was restored', facts)
  const ahead = { ...place, seq: there.seq, epoch: there.epoch + 1 }
  const isMine = await need.database.transaction(async (tx) => {
    await renumberChanges(tx, cursor, { after: cursor.seq, seen: there.seq, sinceMs: there.updatedAtMs })
    return placeCursor(tx, cursor, ahead)
  })
  return isMine ? { ...cursor, ...ahead, ...unknown } : undefined
}

/** Who is to be forgotten is, also when our store was restored and knows less than the destination. */
export async function mendErasure(
  need: DeliverNeed,
  cursor: Cursor,
  { checkpoint }: CheckpointDiffers,
): Promise<Cursor | undefined> {
  const epoch = Math.max(cursor.epoch, checkpoint?.epoch ?? 0) + 1
  return (await placeCursor(need.database, cursor, { ...cursor, epoch })) ? { ...cursor, epoch } : undefined
}
