import { type Changes, changesAfter, latestChange } from '#store/changes.ts'
import { forgetDeadLetters } from '#store/deliveries.ts'
import {
  advanceCursor,
  type Cursor,
  finishCursor,
  holdCursor,
  removeCursor,
  yieldCursor,
} from '#store/delivery-leases.ts'
import { findProfile, findTwin } from '#store/profiles.ts'
import { deliveryProfile, rowsOf } from './batch.ts'
import { type Batch, CheckpointDiffers } from './destination.ts'
import { pathsFor, wantsGone } from './filter.ts'
import { mendCheckpoint } from './mend-checkpoint.ts'
import { BATCH, type DeliverNeed, deliveryTimesOf } from './need.ts'
import { redriveRows } from './redrive.ts'
import { type Source, wantedOf } from './source.ts'
import { type Run, writeRecorded } from './write-recorded.ts'

/** More often than this in one turn is no restored backup but a fault. */
const MOST_MENDS = 3

/** One profile's changes into a destination, batch by batch, until none is left or its turn is over. True when something got there. */
export async function deliverProfile(need: DeliverNeed, run: Run, cursor: Cursor): Promise<boolean> {
  const lease = keepLease(need, cursor)
  try {
    return cursor.erase ? await eraseProfile(need, run, cursor) : await deliverChanges(need, run, cursor, lease)
  } finally {
    lease.end()
  }
}

async function eraseProfile(need: DeliverNeed, { connection }: Run, cursor: Cursor): Promise<boolean> {
  const { destinationId, profileId, epoch } = cursor
  await connection.erase({ destinationId, profileId, epoch })
  await need.database.transaction(async (tx) => {
    if (await removeCursor(tx, cursor)) await forgetDeadLetters(tx, cursor)
  })
  return true
}

async function deliverChanges(need: DeliverNeed, run: Run, taken: Cursor, lease: Lease): Promise<boolean> {
  const { database, clock } = need
  const untilMs = performance.now() + deliveryTimesOf(need).turnMs
  const source = await sourceOf(need, run, taken)
  // Disconnected a moment ago, with the erasure on its way here; or nothing of it was ever wanted, and nothing is.
  if (source === undefined || (source.paths.length === 0 && taken.written === 0)) return passBy(need, taken)
  let cursor = taken
  let wrote = false
  let mends = 0
  let isNews = cursor.news > cursor.told
  for (;;) {
    const changes = await changesAfter(database, cursor, cursor.seq, BATCH)
    const batch = await batchOf(need, run, cursor, source, changes)
    const isWritten = batch.rows.length > 0 || isNews
    let rows = 0
    if (isWritten) {
      // Frozen for a while: somebody else may have gone on from here.
      if (!(await lease.isMine())) return wrote
      try {
        rows = await writeRecorded(need, run, cursor, batch)
      } catch (error) {
        if (!(error instanceof CheckpointDiffers) || (mends += 1) > MOST_MENDS) throw error
        const mended = await mendCheckpoint(need, cursor, error)
        if (mended === undefined) return wrote
        cursor = mended
        continue
      }
      wrote = true
      isNews = false
    }
    const written = isWritten ? changes.upTo : cursor.written
    const place = { seq: changes.upTo, written, rows, nowMs: clock.now() }
    cursor = { ...cursor, seq: place.seq, written }
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

async function passBy({ database, clock }: DeliverNeed, cursor: Cursor): Promise<false> {
  const seq = Math.max(cursor.seq, (await latestChange(database, cursor)) ?? 0)
  await finishCursor(database, cursor, { seq, written: cursor.written, rows: 0, nowMs: clock.now() })
  return false
}

async function batchOf(
  need: DeliverNeed,
  { destination }: Run,
  cursor: Cursor,
  source: Source,
  { items, gone, upTo }: Changes,
): Promise<Batch> {
  const wanted = await wantedOf(need, source, items)
  const { profile, paths } = source
  const changes = { items, gone: gone.filter((each) => paths.length === 0 || wantsGone(paths, each)) }
  const { takesUnknownDeletes } = need.connections.kindOf(destination.kind)
  const takesBackAfter = cursor.generation === 0 ? cursor.freshUntil : 0
  return {
    destinationId: destination.id,
    profile: deliveryProfile(profile),
    rows: rowsOf(
      need.registry,
      profile,
      changes,
      wanted,
      takesUnknownDeletes ? takesBackAfter : Number.POSITIVE_INFINITY,
    ),
    from: Math.min(cursor.written, cursor.seq),
    upTo,
    epoch: cursor.epoch,
    generation: cursor.generation,
  }
}

interface Lease {
  /** False when it ran out and another run has it. */
  isMine(): Promise<boolean>
  /** Its new end, for a statement that moves it on anyway. */
  renewed(): number
  end(): void
}

/** A run that lives keeps its lease, however slow the destination is. */
function keepLease({ database, clock, deliveryTimes }: DeliverNeed, cursor: Cursor): Lease {
  const { leaseMs } = deliveryTimesOf({ deliveryTimes })
  let renewedAt = clock.now()
  let isLost = false
  const hold = async () => {
    isLost = !(await holdCursor(database, cursor, renewed()))
    return !isLost
  }
  const renewed = () => {
    renewedAt = clock.now()
    return renewedAt + leaseMs
  }
  const beat = setInterval(() => void hold().catch(() => {}), leaseMs / 3).unref()
  return {
    renewed,
    isMine: async () => !isLost && (clock.now() - renewedAt < leaseMs / 2 || hold()),
    end: () => clearInterval(beat),
  }
}
