import { createHash } from 'node:crypto'
import { type Batch, CheckpointDiffers } from '#destinations/contract.ts'
import { type ChangedItem, type Changes, changesAfter, latestChange, type Tombstone } from '#store/items/changes.ts'
import { forgetRecordedItems } from '#store/push/delivered-items.ts'
import { forgetDeadLetters } from '#store/push/deliveries.ts'
import { advanceCursor, type Cursor, finishCursor, removeCursor, yieldCursor } from '#store/push/leases.ts'
import { deliveryProfile, rowsOf } from '../delivery-rows.ts'
import { BATCH, type DeliverDeps, deliveryTimesOf } from '../deps.ts'
import { couldHaveWanted, wantedItems, wantsTombstone } from '../filter.ts'
import { findSource, type ProfileSource } from '../profile-source.ts'
import type { DeliveryRun } from './delivery-run.ts'
import { keepLease, type Lease } from './lease-heartbeat.ts'
import { reconcileCheckpoint, reconcileErasure } from './reconcile-checkpoint.ts'
import { completeRecording, itemsToRetract, recordBatch, startRecording } from './recorded-items.ts'
import { redriveRows } from './redrive.ts'
import { writeBatch } from './write-batch.ts'

/**
 * Limit: times that one run reconciles a cursor with a destination's checkpoint. More often is not a restored backup but a
 * fault, and the delivery fails.
 */
const MAX_RECONCILIATIONS = 3

/**
 * Delivers the changes of one profile, batch by batch, until none is left or the slice is over. True when anything was
 * written.
 */
export async function deliverProfile(deps: DeliverDeps, run: DeliveryRun, cursor: Cursor): Promise<boolean> {
  const lease = keepLease(deps, cursor)
  try {
    if (cursor.erase) return await eraseProfile(deps, run, cursor)
    return await whileConnected(deps, cursor, (disconnected) => deliverChanges(deps, run, cursor, lease, disconnected))
  } finally {
    lease.stop()
  }
}

/**
 * Ends the work as soon as the profile is disconnected, even in the middle of a write that hangs. That write may still
 * arrive: the erasure that follows has a greater epoch, and rows with a lower one change nothing after it.
 */
async function whileConnected(
  { access, log }: DeliverDeps,
  { shard, profileId }: Cursor,
  work: (disconnected: AbortSignal) => Promise<boolean>,
): Promise<boolean> {
  const disconnected = new AbortController()
  const ended = Promise.withResolvers<false>()
  const unfollow = access?.follow({ profiles: [{ shard, profileId }] }, () => {
    log.info('a delivery ended, because its profile was disconnected', { profile: profileId })
    disconnected.abort()
    ended.resolve(false)
  })
  const working = work(disconnected.signal)
  // Nothing awaits the work after the profile is disconnected.
  working.catch((error: unknown) => {
    if (disconnected.signal.aborted)
      log.debug('a delivery of a disconnected profile failed', { profile: profileId, error })
  })
  try {
    return await Promise.race([working, ended.promise])
  } finally {
    unfollow?.()
  }
}

async function eraseProfile(deps: DeliverDeps, { connection }: DeliveryRun, taken: Cursor): Promise<boolean> {
  const { destinationId, profileId } = taken
  let cursor = taken
  for (let reconciliations = 0; ; reconciliations += 1) {
    try {
      await connection.erase({ destinationId, profileId, epoch: cursor.epoch })
      break
    } catch (error) {
      if (!(error instanceof CheckpointDiffers) || reconciliations === MAX_RECONCILIATIONS) throw error
      const reconciled = await reconcileErasure(deps, cursor, error)
      if (reconciled === undefined) return false
      cursor = reconciled
    }
  }
  await deps.database.transaction(async (tx) => {
    if (!(await removeCursor(tx, cursor))) return
    await forgetDeadLetters(tx, cursor)
    await forgetRecordedItems(tx, cursor)
  })
  return true
}

async function deliverChanges(
  deps: DeliverDeps,
  run: DeliveryRun,
  taken: Cursor,
  lease: Lease,
  disconnected: AbortSignal,
): Promise<boolean> {
  const { database, clock } = deps
  const untilMs = performance.now() + deliveryTimesOf(deps).sliceMs
  const source = await findSource(deps, run.filter, taken)
  // Either the profile was just disconnected and its erasure follows, or no path takes it and none ever did.
  if (source === undefined || (source.paths.length === 0 && taken.written === 0)) return skipChanges(deps, taken)
  let cursor = await startRecording(deps, run, taken)
  let wrote = false
  let reconciliations = 0
  const profileDigest = digestOf(source)
  for (;;) {
    const changes = await changesAfter(database, source.readable, cursor.seq, BATCH)
    const batch = await batchOf(deps, run, cursor, source, changes, cursor.ackedProfileDigest !== profileDigest)
    const hasContent = batch.rows.length > 0 || batch.includesProfile
    let rows = 0
    if (hasContent) {
      // If this process was frozen for a while, another run may have continued from here.
      if (!(await lease.isHeld()) || disconnected.aborted) return wrote
      await recordBatch(deps, cursor, batch)
      try {
        rows = await writeBatch(deps, run, cursor, batch)
      } catch (error) {
        if (!(error instanceof CheckpointDiffers) || (reconciliations += 1) > MAX_RECONCILIATIONS) throw error
        const reconciled = await reconcileCheckpoint(deps, cursor, error)
        if (reconciled === undefined) return wrote
        cursor = reconciled
        continue
      }
      wrote = true
    }
    const { written, ackedProfileDigest } = hasContent
      ? { written: changes.upTo, ackedProfileDigest: profileDigest }
      : cursor
    const progress = { seq: changes.upTo, written, ackedProfileDigest, rows, nowMs: clock.now() }
    cursor = { ...cursor, seq: progress.seq, written, ackedProfileDigest }
    if (!changes.more) {
      if (cursor.redrive) await redriveRows(deps, run, cursor, source)
      await completeRecording(deps, cursor)
      await finishCursor(database, cursor, progress)
      return wrote
    }
    if (!(await advanceCursor(database, cursor, progress, lease.renewedUntil()))) return wrote
    if (run.signal.aborted || performance.now() >= untilMs) {
      await yieldCursor(database, cursor, clock.now())
      return wrote
    }
  }
}

/** Shows whether the destination has the profile as it is now. */
function digestOf({ profile }: ProfileSource): string {
  return createHash('sha256')
    .update(JSON.stringify(deliveryProfile(profile)))
    .digest('base64url')
    .slice(0, 16)
}

/** Moves the cursor past all changes without delivering any. */
async function skipChanges({ database, clock }: DeliverDeps, cursor: Cursor): Promise<false> {
  const seq = Math.max(cursor.seq, (await latestChange(database, cursor)) ?? 0)
  await finishCursor(database, cursor, { ...cursor, seq, rows: 0, nowMs: clock.now() })
  return false
}

async function batchOf(
  deps: DeliverDeps,
  { destination }: DeliveryRun,
  cursor: Cursor,
  source: ProfileSource,
  { items: shown, hidden, tombstones, upTo }: Changes,
  includesProfile: boolean,
): Promise<Batch> {
  const wanted = await wantedItems(deps, source, shown)
  const items = [...shown, ...hidden]
  const { profile, paths } = source
  const recorded = await itemsToRetract(deps, cursor, { items, tombstones }, wanted)
  const deletes = (each: Tombstone) =>
    recorded ? recorded.has(each.id) : paths.length === 0 || wantsTombstone(paths, each)
  const changes = { items, tombstones: tombstones.filter(deletes) }
  const { takesUnknownDeletes } = deps.connections.kindOf(destination.kind)
  // In the first backfill the destination has no earlier state to retract. Kinds that pay for every delete get only those of
  // items that they may have.
  const retractAfter = cursor.generation === 0 ? cursor.backfillUntil : 0
  const retracts = (item: ChangedItem) =>
    recorded?.has(item.id) ?? (item.seq > retractAfter && (takesUnknownDeletes || couldHaveWanted(paths, item)))
  return {
    destinationId: destination.id,
    profile: deliveryProfile(profile),
    includesProfile,
    rows: rowsOf(deps.registry, profile, changes, wanted, retracts),
    from: Math.min(cursor.written, cursor.seq),
    upTo,
    epoch: cursor.epoch,
    generation: cursor.generation,
  }
}
