import { type Queries, statement } from '#platform/postgres/database.ts'
import type { CursorKey } from './cursors.ts'

/** What a run holds: its own place in the order, until somebody else takes it. */
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
  /** A digest of what the destination was last told of the profile itself. */
  ackedProfileDigest: string | undefined
  /** Of the destination, when it was taken. */
  state: string
}

const takeIn = (
  order: 'asc' | 'desc',
) => `update delivery_cursor c set lease_token = $5, due_at = $4, epoch = c.epoch + 1
   from (select shard, profile_id, destination_id from delivery_cursor where destination_id = $1 and due_at <= $3 and (erase or not $6)
     order by due_at ${order} limit 1 for update skip locked) due, destination d
   where d.id = $1 and d.updated_at = $2 and d.state in ('active', 'failing') and c.shard = due.shard and c.profile_id = due.profile_id and c.destination_id = due.destination_id
   returning c.shard, c.profile_id, c.seq, c.written, c.backfill_until, c.generation, c.epoch, c.erase, c.dead, c.redrive, c.fails, c.revision, c.acked_profile_digest, d.state`
const takeOldest = statement('lease-take-oldest', takeIn('asc'))
const takeNewest = statement('lease-take-newest', takeIn('desc'))
const mine = 'shard = $1 and profile_id = $2 and destination_id = $3 and lease_token = $4'
const hold = statement('lease-hold', `update delivery_cursor set due_at = $5 where ${mine}`)
const advance = statement(
  'lease-advance',
  `update delivery_cursor set seq = $5, written = $6, rows = rows + $7, delivered_at = case when $7 > 0 then $8 else delivered_at end,
     due_at = $9, fails = 0, error = null, acked_profile_digest = $10
   where ${mine}`,
)
const finish = statement(
  'lease-finish',
  `update delivery_cursor set seq = $5, written = $6, rows = rows + $7, delivered_at = case when $7 > 0 then $8 else delivered_at end,
     fails = 0, error = null, lease_token = null, acked_revision = $9, acked_profile_digest = $10, redrive = false,
     due_at = case when revision > $9 and not scheduled then $8 end, behind_since = case when revision > $9 then $8 end
   where ${mine}`,
)
const yieldTurn = statement('lease-yield', `update delivery_cursor set lease_token = null, due_at = $5 where ${mine}`)
const fail = statement(
  'lease-fail',
  `update delivery_cursor set lease_token = null, due_at = $5, fails = fails + 1, error = $6 where ${mine}`,
)
const setBack = statement(
  'lease-set-back',
  `update delivery_cursor set seq = $5, written = $6, epoch = $7 where ${mine}`,
)
const flagDead = statement('lease-bury', `update delivery_cursor set dead = true where ${mine}`)
const unflagDead = statement('lease-revive', `update delivery_cursor set dead = false where ${mine}`)
const remove = statement('lease-remove', `delete from delivery_cursor where ${mine}`)

const values = ({ shard, profileId, destinationId, token }: Cursor) => [shard, profileId, destinationId, token] as const

export interface Taking {
  destinationId: string
  /** As the caller knows the destination: none is given when it was changed since. */
  updatedAt: number
  nowMs: number
  leaseUntilMs: number
  token: string
  onlyErasures: boolean
  /** Who has waited longest, or who was changed last. */
  newestFirst: boolean
}

type Taken = Omit<Cursor, 'profileId' | 'backfillUntil' | 'ackedProfileDigest' | 'destinationId' | 'token'> & {
  profile_id: string
  backfill_until: number
  acked_profile_digest: string | null
}

/** The next profile that is due, for this run alone. */
export async function takeCursor(queries: Queries, taking: Taking): Promise<Cursor | undefined> {
  const { destinationId, updatedAt, nowMs, leaseUntilMs, token, onlyErasures, newestFirst } = taking
  const [row] = await queries.rows<Taken>(newestFirst ? takeNewest : takeOldest, [
    destinationId,
    updatedAt,
    nowMs,
    leaseUntilMs,
    token,
    onlyErasures,
  ])
  if (row === undefined) return undefined
  const {
    profile_id: profileId,
    backfill_until: backfillUntil,
    acked_profile_digest: ackedProfileDigest,
    ...rest
  } = row
  return {
    ...rest,
    profileId,
    backfillUntil,
    ackedProfileDigest: ackedProfileDigest ?? undefined,
    destinationId,
    token,
  }
}

/** Moves the lease on. False when another run took over. */
export async function holdCursor(queries: Queries, cursor: Cursor, leaseUntilMs: number): Promise<boolean> {
  return (await queries.count(hold, [...values(cursor), leaseUntilMs])) > 0
}

export interface CursorProgress {
  seq: number
  /** What the destination's own checkpoint is at. */
  written: number
  ackedProfileDigest: string | undefined
  /** How many rows went there. */
  rows: number
  nowMs: number
}

/** A batch is there. False when another run took over. */
export async function advanceCursor(
  queries: Queries,
  cursor: Cursor,
  { seq, written, ackedProfileDigest, rows, nowMs }: CursorProgress,
  leaseUntilMs: number,
): Promise<boolean> {
  const progress = [seq, written, rows, nowMs, leaseUntilMs, ackedProfileDigest ?? null]
  return (await queries.count(advance, [...values(cursor), ...progress])) > 0
}

/** The last batch is there: due again at once if more came meanwhile, else when there is news or its schedule says so. */
export async function finishCursor(
  queries: Queries,
  cursor: Cursor,
  { seq, written, ackedProfileDigest, rows, nowMs }: CursorProgress,
): Promise<void> {
  const progress = [seq, written, rows, nowMs, cursor.revision, ackedProfileDigest ?? null]
  await queries.count(finish, [...values(cursor), ...progress])
}

/** Makes room for others; what is left goes on when its turn comes. */
export async function yieldCursor(queries: Queries, cursor: Cursor, dueAt: number): Promise<void> {
  await queries.count(yieldTurn, [...values(cursor), dueAt])
}

export async function failCursor(
  queries: Queries,
  cursor: Cursor,
  dueAt: number | undefined,
  error: string,
): Promise<void> {
  await queries.count(fail, [...values(cursor), dueAt ?? null, error])
}

/** The destination is at another place than we thought. False when another run took over. */
export async function setCursorPosition(
  queries: Queries,
  cursor: Cursor,
  { seq, written, epoch }: Pick<Cursor, 'seq' | 'written' | 'epoch'>,
): Promise<boolean> {
  return (await queries.count(setBack, [...values(cursor), seq, written, epoch])) > 0
}

/** Whether rows of it were set aside. */
export async function flagDeadLetters(queries: Queries, cursor: Cursor, dead: boolean): Promise<void> {
  await queries.count(dead ? flagDead : unflagDead, [...values(cursor)])
}

/** After an erasure nothing is left to follow. */
export async function removeCursor(tx: Queries, cursor: Cursor): Promise<boolean> {
  return (await tx.count(remove, [...values(cursor)])) > 0
}
