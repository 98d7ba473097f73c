import type { CheckpointDiffers } from '#destinations/contract.ts'
import { renumberChanges } from '#store/items/changes.ts'
import { type Cursor, failCursor, holdCursor, setCursorPosition } from '#store/push/leases.ts'
import { type DeliverDeps, deliveryTimesOf } from '../deps.ts'

/** The profile that the destination has is as uncertain as its rows, so it is delivered again. */
const profileUnknown = { ackedProfileDigest: undefined }

/**
 * The destination's checkpoint differs from our cursor. The checkpoint is authoritative, so delivery continues from there.
 * Returns undefined when this run has nothing more to do.
 */
export async function reconcileCheckpoint(
  deps: DeliverDeps,
  cursor: Cursor,
  { checkpoint }: CheckpointDiffers,
): Promise<Cursor | undefined> {
  const leaseUntilMs = deps.clock.now() + deliveryTimesOf(deps).leaseMs
  // A newer run has the lease: this one was frozen.
  if (!(await holdCursor(deps.database, cursor, leaseUntilMs))) return undefined
  const theirs = checkpoint ?? { seq: 0, epoch: 0, updatedAtMs: 0 }
  const detail = {
    destination: cursor.destinationId,
    profile: cursor.profileId,
    cursor: cursor.seq,
    checkpoint: theirs.seq,
  }
  if (theirs.seq < 0) {
    deps.log.warn('a profile was erased at the destination and is not delivered again', detail)
    await failCursor(
      deps.database,
      cursor,
      undefined,
      'The profile was erased at the destination, and our database was restored from before that.',
    )
    return undefined
  }
  const position = {
    seq: Math.min(cursor.seq, theirs.seq),
    written: theirs.seq,
    epoch: cursor.epoch,
    recording: cursor.recording,
  }
  if (theirs.epoch <= cursor.epoch) {
    deps.log.warn('a destination was restored; delivery continues from its checkpoint', detail)
    const isHeld = await setCursorPosition(deps.database, cursor, position)
    return isHeld ? { ...cursor, ...position, ...profileUnknown } : undefined
  }
  deps.log.warn('a checkpoint is newer than our database, which was restored; changes get new numbers', detail)
  // What was delivered after the backup is not recorded.
  const ahead = { ...position, seq: theirs.seq, epoch: theirs.epoch + 1, recording: 'none' as const }
  const isHeld = await deps.database.transaction(async (tx) => {
    await renumberChanges(tx, cursor, { after: cursor.seq, seen: theirs.seq, sinceMs: theirs.updatedAtMs })
    return setCursorPosition(tx, cursor, ahead)
  })
  return isHeld ? { ...cursor, ...ahead, ...profileUnknown } : undefined
}

/** Raises the epoch above the destination's, so that the erasure succeeds even after our database was restored. */
export async function reconcileErasure(
  deps: DeliverDeps,
  cursor: Cursor,
  { checkpoint }: CheckpointDiffers,
): Promise<Cursor | undefined> {
  const epoch = Math.max(cursor.epoch, checkpoint?.epoch ?? 0) + 1
  return (await setCursorPosition(deps.database, cursor, { ...cursor, epoch })) ? { ...cursor, epoch } : undefined
}
