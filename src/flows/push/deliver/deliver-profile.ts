import { createHash } from 'node:crypto'
import { type Batch, CheckpointDiffers } from '#destinations/contract.ts'
import { findDuplicate, findProfile } from '#store/identity/profiles.ts'
import { type ChangedItem, type Changes, changesAfter, latestChange } from '#store/items/changes.ts'
import { forgetDeadLetters } from '#store/push/deliveries.ts'
import { advanceCursor, type Cursor, finishCursor, removeCursor, yieldCursor } from '#store/push/leases.ts'
import { BATCH, type DeliverDeps, deliveryTimesOf } from '../deps.ts'
import { nearlyWants, pathsFor, wantsTombstone } from '../filter.ts'
import { mendCheckpoint, mendErasure } from '../repair/reconcile-checkpoint.ts'
import { redriveRows } from '../repair/redrive.ts'
import { deliveryProfile, rowsOf } from './batch.ts'
import { keepLease, type Lease } from './keep-lease.ts'
import { type Source, wantedOf } from './source.ts'
import { type Run, writeRecorded } from './write-batch.ts'

/**
 * Limit: times that one turn sets a cursor back to what a destination holds; more is no restored backup but a fault,
 * and the delivery fails.
 */
const MAX_MENDS = 3

/** One profile's changes into a destination, batch by batch, until none is left or its turn is over. True when something got there. */
export async function deliverProfile(deps: DeliverDeps, run: Run, cursor: Cursor): Promise<boolean> {
  const lease = keepLease(deps, cursor)
  try {
    if (cursor.erase) return await eraseProfile(deps, run, cursor)
    return await whileThere(deps, cursor, (tombstones) => deliverChanges(deps, run, cursor, lease, tombstones))
  } finally {
    lease.end()
  }
}

/**
 * Leaves as soon as the profile does, also in the middle of a write that hangs. That write may still arrive: the erasure that
 * follows has a greater epoch, and rows of a lesser one change nothing after it.
 */
async function whileThere(
  { access, log }: DeliverDeps,
  { shard, profileId }: Cursor,
  work: (tombstones: AbortSignal) => Promise<boolean>,
): Promise<boolean> {
  const tombstones = new AbortController()
  const left = Promise.withResolvers<false>()
  const release = access?.follow({ profiles: [{ shard, profileId }] }, () => {
    log.info('a delivery ended, because its profile left', { profile: profileId })
    tombstones.abort()
    left.resolve(false)
  })
  const working = work(tombstones.signal)
  // Nobody waits for it once the profile has left.
  working.catch((error: unknown) => {
    if (tombstones.signal.aborted) log.debug('a delivery of a profile that left ended', { profile: profileId, error })
  })
  try {
    return await Promise.race([working, left.promise])
  } finally {
    release?.()
  }
}

async function eraseProfile(deps: DeliverDeps, { connection }: Run, taken: Cursor): Promise<boolean> {
  const { destinationId, profileId } = taken
  let cursor = taken
  for (let mends = 0; ; mends += 1) {
    try {
      await connection.erase({ destinationId, profileId, epoch: cursor.epoch })
      break
    } catch (error) {
      if (!(error instanceof CheckpointDiffers) || mends === MAX_MENDS) throw error
      const mended = await mendErasure(deps, cursor, error)
      if (mended === undefined) return false
      cursor = mended
    }
  }
  await deps.database.transaction(async (tx) => {
    if (await removeCursor(tx, cursor)) await forgetDeadLetters(tx, cursor)
  })
  return true
}

async function deliverChanges(
  deps: DeliverDeps,
  run: Run,
  taken: Cursor,
  lease: Lease,
  tombstones: AbortSignal,
): Promise<boolean> {
  const { database, clock } = deps
  const untilMs = performance.now() + deliveryTimesOf(deps).sliceMs
  const source = await sourceOf(deps, run, taken)
  // Disconnected a moment ago, with the erasure on its way here; or nothing of it was ever wanted, and nothing is.
  if (source === undefined || (source.paths.length === 0 && taken.written === 0)) return passBy(deps, taken)
  let cursor = taken
  let wrote = false
  let mends = 0
  const profile = digestOf(source)
  for (;;) {
    const changes = await changesAfter(database, cursor, cursor.seq, BATCH)
    const batch = await batchOf(deps, run, cursor, source, changes, cursor.ackedProfileDigest !== profile)
    const isWritten = batch.rows.length > 0 || batch.includesProfile
    let rows = 0
    if (isWritten) {
      // Frozen for a while: somebody else may have gone on from here.
      if (!(await lease.isMine()) || tombstones.aborted) return wrote
      try {
        rows = await writeRecorded(deps, run, cursor, batch)
      } catch (error) {
        if (!(error instanceof CheckpointDiffers) || (mends += 1) > MAX_MENDS) throw error
        const mended = await mendCheckpoint(deps, cursor, error)
        if (mended === undefined) return wrote
        cursor = mended
        continue
      }
      wrote = true
    }
    const { written, ackedProfileDigest } = isWritten ? { written: changes.upTo, ackedProfileDigest: profile } : cursor
    const place = { seq: changes.upTo, written, ackedProfileDigest, rows, nowMs: clock.now() }
    cursor = { ...cursor, seq: place.seq, written, ackedProfileDigest }
    if (!changes.more) {
      if (cursor.redrive) await redriveRows(deps, run, cursor, source)
      await finishCursor(database, cursor, place)
      return wrote
    }
    if (!(await advanceCursor(database, cursor, place, lease.renewed()))) return wrote
    if (run.signal.aborted || performance.now() >= untilMs) {
      await yieldCursor(database, cursor, clock.now())
      return wrote
    }
  }
}

async function sourceOf({ database }: DeliverDeps, { filter }: Run, cursor: Cursor): Promise<Source | undefined> {
  const profile = await findProfile(database, cursor.shard, cursor.profileId)
  if (profile === undefined) return undefined
  return { profile, paths: pathsFor(filter, profile), duplicate: await findDuplicate(database, profile) }
}

function digestOf({ profile }: Source): string {
  return createHash('sha256')
    .update(JSON.stringify(deliveryProfile(profile)))
    .digest('base64url')
    .slice(0, 16)
}

async function passBy({ database, clock }: DeliverDeps, cursor: Cursor): Promise<false> {
  const seq = Math.max(cursor.seq, (await latestChange(database, cursor)) ?? 0)
  await finishCursor(database, cursor, { ...cursor, seq, rows: 0, nowMs: clock.now() })
  return false
}

async function batchOf(
  deps: DeliverDeps,
  { destination }: Run,
  cursor: Cursor,
  source: Source,
  { items, tombstones, upTo }: Changes,
  includesProfile: boolean,
): Promise<Batch> {
  const wanted = await wantedOf(deps, source, items)
  const { profile, paths } = source
  const changes = { items, tombstones: tombstones.filter((each) => paths.length === 0 || wantsTombstone(paths, each)) }
  const { takesUnknownDeletes } = deps.connections.kindOf(destination.kind)
  // Before that it had nothing; and whoever is told one by one hears no more than it must.
  const after = cursor.generation === 0 ? cursor.backfillUntil : 0
  const takesBack = (item: ChangedItem) => item.seq > after && (takesUnknownDeletes || nearlyWants(paths, item))
  return {
    destinationId: destination.id,
    profile: deliveryProfile(profile),
    includesProfile,
    rows: rowsOf(deps.registry, profile, changes, wanted, takesBack),
    from: Math.min(cursor.written, cursor.seq),
    upTo,
    epoch: cursor.epoch,
    generation: cursor.generation,
  }
}
