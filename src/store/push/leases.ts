import { type Database, execute, type Queries, statement } from '#platform/postgres/database.ts'
import { isSharded } from '../cluster/is-sharded.ts'
import type { CursorKey } from './cursors.ts'

/** Whether the items that the destination has are recorded (migrations/0002-delivered-items.sql). */
export type Recording = 'none' | 'partial' | 'complete'

/** A cursor as the run that leases it knows it. */
export interface Cursor extends CursorKey {
  token: string
  seq: number
  written: number
  backfillUntil: number
  generation: number
  epoch: number
  erase: boolean
  dead: boolean
  redrive: boolean
  fails: number
  revision: number
  /** Digest of the profile itself as the destination last acknowledged it. */
  ackedProfileDigest: string | undefined
  recording: Recording
  /** State of the destination when the lease began. */
  state: string
}

/** Only while the lease is held. */
const isLeased =
  'shard = $shard and profile_id = $profileId and destination_id = $destinationId and lease_token = $token'
const extendLease = statement('lease-hold', `update delivery_cursor set due_at = $leaseUntilMs where ${isLeased}`)
const progress = `seq = $seq, written = $written, rows = rows + $rows,
  delivered_at = case when $rows > 0 then $nowMs else delivered_at end, acked_profile_digest = $ackedProfileDigest,
  fails = 0, error = null`
const advance = statement(
  'lease-advance',
  `update delivery_cursor set ${progress}, due_at = $leaseUntilMs where ${isLeased}`,
)
const finish = statement(
  'lease-finish',
  `update delivery_cursor set ${progress}, lease_token = null, acked_revision = $revision, redrive = false,
     due_at = case when revision > $revision and not scheduled then $nowMs end,
     behind_since = case when revision > $revision then $nowMs end
   where ${isLeased}`,
)
const finishSome = statement(
  'lease-finish-some',
  `update delivery_cursor c set seq = n.seq, written = n.seq, acked_profile_digest = n.digest, fails = 0, error = null,
     lease_token = null, acked_revision = n.revision, redrive = false,
     due_at = case when c.revision > n.revision and not c.scheduled then $nowMs::bigint end,
     behind_since = case when c.revision > n.revision then $nowMs::bigint end
   from unnest($shards::smallint[], $profileIds::text[], $seqs::bigint[], $digests::text[], $revisions::bigint[])
     as n (shard, profile_id, seq, digest, revision)
   where c.shard = n.shard and c.profile_id = n.profile_id and c.destination_id = $destinationId and c.lease_token = $token`,
)
const endLease = statement(
  'lease-yield',
  `update delivery_cursor set lease_token = null, due_at = $dueAt where ${isLeased}`,
)
const fail = statement(
  'lease-fail',
  `update delivery_cursor set lease_token = null, due_at = $dueAt, fails = fails + 1, error = $error where ${isLeased}`,
)
const setPosition = statement(
  'lease-set-back',
  `update delivery_cursor set seq = $seq, written = $written, epoch = $epoch,
     recorded_epoch = $epoch, recording = $recording where ${isLeased}`,
)
const setRecorded = statement(
  'lease-set-recording',
  `update delivery_cursor set recording = $recording where ${isLeased}`,
)
const setDead = statement('lease-set-dead', `update delivery_cursor set dead = $dead where ${isLeased}`)
const remove = statement('lease-remove', `delete from delivery_cursor where ${isLeased}`)

const leaseOf = ({ shard, profileId, destinationId, token }: Cursor) => ({ shard, profileId, destinationId, token })

/** Extends the lease. False when it was lost. */
export async function holdCursor(queries: Queries, cursor: Cursor, leaseUntilMs: number): Promise<boolean> {
  return (await queries.count(extendLease.with({ ...leaseOf(cursor), leaseUntilMs }))) > 0
}

export interface CursorProgress {
  seq: number
  /** The seq of the destination's own checkpoint. */
  written: number
  ackedProfileDigest: string | undefined
  /** How many rows were delivered. */
  rows: number
  nowMs: number
}

/** Saves that a batch was delivered. False when the lease was lost. */
export async function advanceCursor(
  queries: Queries,
  cursor: Cursor,
  delivered: CursorProgress,
  leaseUntilMs: number,
): Promise<boolean> {
  const ackedProfileDigest = delivered.ackedProfileDigest ?? null
  const values = { ...delivered, ...leaseOf(cursor), ackedProfileDigest, leaseUntilMs }
  return (await queries.count(advance.with(values))) > 0
}

/** Saves that the last batch was delivered and ends the lease. Due again at once if the profile has changed since. */
export async function finishCursor(queries: Queries, cursor: Cursor, delivered: CursorProgress): Promise<void> {
  const ackedProfileDigest = delivered.ackedProfileDigest ?? null
  const values = { ...delivered, ...leaseOf(cursor), ackedProfileDigest, revision: cursor.revision }
  await queries.count(finish.with(values))
}

/** The same for cursors of a feed that one run has leased together. */
export async function finishCursors(
  database: Database,
  finished: readonly { cursor: Cursor; delivered: CursorProgress }[],
): Promise<void> {
  const [first] = finished
  if (first === undefined) return
  if (finished.length === 1 || (await isSharded(database))) {
    for (const { cursor, delivered } of finished) await finishCursor(database, cursor, delivered)
    return
  }
  const values = finishSome.with({
    destinationId: first.cursor.destinationId,
    token: first.cursor.token,
    nowMs: first.delivered.nowMs,
    shards: finished.map(({ cursor }) => cursor.shard),
    profileIds: finished.map(({ cursor }) => cursor.profileId),
    seqs: finished.map(({ delivered }) => delivered.seq),
    digests: finished.map(({ delivered }) => delivered.ackedProfileDigest ?? null),
    revisions: finished.map(({ cursor }) => cursor.revision),
  })
  // A transaction, because it is repeated after a deadlock with a change of all cursors.
  await database.transaction((tx) => execute(tx, values))
}

/** Ends the lease so that other cursors get their share; the rest is delivered when this one is due again. */
export async function yieldCursor(queries: Queries, cursor: Cursor, dueAt: number): Promise<void> {
  await queries.count(endLease.with({ ...leaseOf(cursor), dueAt }))
}

export async function failCursor(
  queries: Queries,
  cursor: Cursor,
  dueAt: number | undefined,
  error: string,
): Promise<void> {
  await queries.count(fail.with({ ...leaseOf(cursor), dueAt: dueAt ?? null, error }))
}

/** Saves the position that the destination reports, where the cursor's differs. False when the lease was lost. */
export async function setCursorPosition(
  queries: Queries,
  cursor: Cursor,
  { seq, written, epoch, recording }: Pick<Cursor, 'seq' | 'written' | 'epoch' | 'recording'>,
): Promise<boolean> {
  return (await queries.count(setPosition.with({ ...leaseOf(cursor), seq, written, epoch, recording }))) > 0
}

export async function setRecording(queries: Queries, cursor: Cursor, recording: Recording): Promise<void> {
  await queries.count(setRecorded.with({ ...leaseOf(cursor), recording }))
}

/** Saves whether the profile has dead letters at the destination. */
export async function flagDeadLetters(queries: Queries, cursor: Cursor, dead: boolean): Promise<void> {
  await queries.count(setDead.with({ ...leaseOf(cursor), dead }))
}

/** After an erasure there is nothing left to deliver. */
export async function removeCursor(tx: Queries, cursor: Cursor): Promise<boolean> {
  return (await tx.count(remove.with(leaseOf(cursor)))) > 0
}
