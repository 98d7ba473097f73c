import { createHash } from 'node:crypto'
import { type ChangedItem, type Changes, changesAfter, latestChange } from '#store/changes.ts'
import { forgetDeadLetters } from '#store/deliveries.ts'
import { advanceCursor, type Cursor, finishCursor, removeCursor, yieldCursor } from '#store/delivery-leases.ts'
import { findProfile, findTwin } from '#store/profiles.ts'
import { deliveryProfile, rowsOf } from './batch.ts'
import { type Batch, CheckpointDiffers } from './destination.ts'
import { nearlyWants, pathsFor, wantsGone } from './filter.ts'
import { keepLease, type Lease } from './keep-lease.ts'
import { mendCheckpoint, mendErasure } from './mend-checkpoint.ts'
import { BATCH, type DeliverNeed, deliveryTimesOf } from './need.ts'
import { redriveRows } from './redrive.ts'
import { type Source, wantedOf } from './source.ts'
import { type Run, writeRecorded } from './write-recorded.ts'

/**
 * Limit: times that one turn sets a cursor back to what a destination holds; more is no restored backup but a fault,
 * and the delivery fails.
 */
const MAX_MENDS = 3

/** One profile's changes into a destination, batch by batch, until none is left or its turn is over. True when something got there. */
export async function deliverProfile(need: DeliverNeed, run: Run, cursor: Cursor): Promise<boolean> {
  const lease = keepLease(need, cursor)
  try {
    if (cursor.erase) return await eraseProfile(need, run, cursor)
    return await whileThere(need, cursor, (gone) => deliverChanges(need, run, cursor, lease, gone))
  } finally {
    lease.end()
  }
}

/**
 * Leaves as soon as the profile does, also in the middle of a write that hangs. That write may still arrive: the erasure that
 * follows has a greater epoch, and rows of a lesser one change nothing after it.
 */
async function whileThere(
  { access, log }: DeliverNeed,
  { part, profileId }: Cursor,
  work: (gone: AbortSignal) => Promise<boolean>,
): Promise<boolean> {
  const gone = new AbortController()
  const left = Promise.withResolvers<false>()
  const release = access?.follow({ profiles: [{ part, profileId }] }, () => {
    log.info('a delivery ended, because its profile left', { profile: profileId })
    gone.abort()
    left.resolve(false)
  })
  const working = work(gone.signal)
  // Nobody waits for it once the profile has left.
  working.catch((error: unknown) => {
    if (gone.signal.aborted) log.debug('a delivery of a profile that left ended', { profile: profileId, error })
  })
  try {
    return await Promise.race([working, left.promise])
  } finally {
    release?.()
  }
}

async function eraseProfile(need: DeliverNeed, { connection }: Run, taken: Cursor): Promise<boolean> {
  const { destinationId, profileId } = taken
  let cursor = taken
  for (let mends = 0; ; mends += 1) {
    try {
      await connection.erase({ destinationId, profileId, epoch: cursor.epoch })
      break
    } catch (error) {
      if (!(error instanceof CheckpointDiffers) || mends === MAX_MENDS) throw error
      const mended = await mendErasure(need, cursor, error)
      if (mended === undefined) return false
      cursor = mended
    }
  }
  await need.database.transaction(async (tx) => {
    if (await removeCursor(tx, cursor)) await forgetDeadLetters(tx, cursor)
  })
  return true
}

async function deliverChanges(
  need: DeliverNeed,
  run: Run,
  taken: Cursor,
  lease: Lease,
  gone: AbortSignal,
): Promise<boolean> {
  const { database, clock } = need
  const untilMs = performance.now() + deliveryTimesOf(need).turnMs
  const source = await sourceOf(need, run, taken)
  // Disconnected a moment ago, with the erasure on its way here; or nothing of it was ever wanted, and nothing is.
  if (source === undefined || (source.paths.length === 0 && taken.written === 0)) return passBy(need, taken)
  let cursor = taken
  let wrote = false
  let mends = 0
  const profile = digestOf(source)
  for (;;) {
    const changes = await changesAfter(database, cursor, cursor.seq, BATCH)
    const batch = await batchOf(need, run, cursor, source, changes, cursor.toldProfile !== profile)
    const isWritten = batch.rows.length > 0 || batch.tellsProfile
    let rows = 0
    if (isWritten) {
      // Frozen for a while: somebody else may have gone on from here.
      if (!(await lease.isMine()) || gone.aborted) return wrote
      try {
        rows = await writeRecorded(need, run, cursor, batch)
      } catch (error) {
        if (!(error instanceof CheckpointDiffers) || (mends += 1) > MAX_MENDS) throw error
        const mended = await mendCheckpoint(need, cursor, error)
        if (mended === undefined) return wrote
        cursor = mended
        continue
      }
      wrote = true
    }
    const { written, toldProfile } = isWritten ? { written: changes.upTo, toldProfile: profile } : cursor
    const place = { seq: changes.upTo, written, toldProfile, rows, nowMs: clock.now() }
    cursor = { ...cursor, seq: place.seq, written, toldProfile }
    if (!changes.more) {
      if (cursor.redrive) await redriveRows(need, run, cursor, source)
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

async function sourceOf({ database }: DeliverNeed, { filter }: Run, cursor: Cursor): Promise<Source | undefined> {
  const profile = await findProfile(database, cursor.part, cursor.profileId)
  if (profile === undefined) return undefined
  return { profile, paths: pathsFor(filter, profile), twin: await findTwin(database, profile) }
}

function digestOf({ profile }: Source): string {
  return createHash('sha256')
    .update(JSON.stringify(deliveryProfile(profile)))
    .digest('base64url')
    .slice(0, 16)
}

async function passBy({ database, clock }: DeliverNeed, cursor: Cursor): Promise<false> {
  const seq = Math.max(cursor.seq, (await latestChange(database, cursor)) ?? 0)
  await finishCursor(database, cursor, { ...cursor, seq, rows: 0, nowMs: clock.now() })
  return false
}

async function batchOf(
  need: DeliverNeed,
  { destination }: Run,
  cursor: Cursor,
  source: Source,
  { items, gone, upTo }: Changes,
  tellsProfile: boolean,
): Promise<Batch> {
  const wanted = await wantedOf(need, source, items)
  const { profile, paths } = source
  const changes = { items, gone: gone.filter((each) => paths.length === 0 || wantsGone(paths, each)) }
  const { takesUnknownDeletes } = need.connections.kindOf(destination.kind)
  // Before that it had nothing; and whoever is told one by one hears no more than it must.
  const after = cursor.generation === 0 ? cursor.freshUntil : 0
  const takesBack = (item: ChangedItem) => item.seq > after && (takesUnknownDeletes || nearlyWants(paths, item))
  return {
    destinationId: destination.id,
    profile: deliveryProfile(profile),
    tellsProfile,
    rows: rowsOf(need.registry, profile, changes, wanted, takesBack),
    from: Math.min(cursor.written, cursor.seq),
    upTo,
    epoch: cursor.epoch,
    generation: cursor.generation,
  }
}
