import { type Queries, statement } from '#platform/postgres/database.ts'
import { isSharded } from '../cluster/is-sharded.ts'
import { shuffle } from '../cluster/take-in-shards.ts'
import type { Cursor } from './leases.ts'

const returned = `c.shard, c.profile_id, c.seq, c.written, c.backfill_until, c.generation, c.epoch, c.erase, c.dead,
  c.redrive, c.fails, c.revision, c.acked_profile_digest, d.state, c.recording`
const newLease = `lease_token = $token, due_at = $leaseUntilMs, epoch = c.epoch + 1, recorded_epoch = c.epoch + 1,
  recording = case when c.recorded_epoch = c.epoch then c.recording else 'none' end`
const isDue = 'destination_id = $destinationId and due_at <= $nowMs and (erase or not $onlyErasures)'
const isUnchanged = `d.id = $destinationId and d.updated_at = $updatedAt and d.state in ('active', 'failing')`
/** Limit: cursors of a feed that a run leases together. */
const MAX_TAKEN = 50
const takeDue = <Order extends 'asc' | 'desc', Limit extends number>(order: Order, limit: Limit) =>
  `update delivery_cursor c set ${newLease}
   from (select shard, profile_id, destination_id from delivery_cursor
     where ${isDue} order by due_at ${order} limit ${limit} for update skip locked) due, destination d
   where ${isUnchanged}
     and c.shard = due.shard and c.profile_id = due.profile_id and c.destination_id = due.destination_id
   returning ${returned}` as const
const takeOldest = statement('lease-take-oldest', takeDue('asc', 1))
const takeNewest = statement('lease-take-newest', takeDue('desc', 1))
const takeSomeOldest = statement('lease-take-some-oldest', takeDue('asc', MAX_TAKEN))
const takeSomeNewest = statement('lease-take-some-newest', takeDue('desc', MAX_TAKEN))
// On a sharded server: first some candidates of all shards, then one after the other in its shard.
const findOldest = statement(
  'lease-candidates-oldest',
  `select shard, profile_id from delivery_cursor where ${isDue} order by due_at limit $limit`,
)
const findNewest = statement(
  'lease-candidates-newest',
  `select shard, profile_id from delivery_cursor where ${isDue} order by due_at desc limit $limit`,
)
const takeInShard = statement(
  'lease-take-in-shard',
  `update delivery_cursor c set ${newLease}
   from (select shard, profile_id, destination_id from delivery_cursor
     where shard = $shard and profile_id = $profileId and ${isDue} for update skip locked) due, destination d
   where ${isUnchanged} and c.shard = $shard
     and c.shard = due.shard and c.profile_id = due.profile_id and c.destination_id = due.destination_id
   returning ${returned}`,
)

export interface CursorLeaseRequest {
  destinationId: string
  /** As the caller read the destination: no cursor is leased when it has changed since. */
  updatedAt: number
  nowMs: number
  leaseUntilMs: number
  token: string
  onlyErasures: boolean
  /** The cursor that became due last comes first; otherwise the one that has been due longest. */
  newestFirst: boolean
  /** At most `MAX_TAKEN`, or one. */
  some: boolean
}

/** Leases the next cursors that are due. One run uses one of these for all its cursors. */
export type TakeCursors = (request: CursorLeaseRequest) => Promise<Cursor[]>

interface Candidate {
  shard: number
  profile_id: string
}

/** Limit: candidates that a run of a sharded server reads at once, for itself and the cursors after it. */
const MAX_CANDIDATES = 16
/** Limit: age of candidates; newer ones may have become due since. */
const MAX_CANDIDATE_AGE_MS = 1000
/** Limit: how often one call looks for candidates: others may take all of them, again and again, or have them locked. */
const MAX_LOOKS = 3

export function cursorTaker(queries: Queries): TakeCursors {
  let candidates: Candidate[] = []
  let readAt = Number.NEGATIVE_INFINITY

  const look = async ({ newestFirst, destinationId, nowMs, onlyErasures }: CursorLeaseRequest): Promise<void> => {
    const find = newestFirst ? findNewest : findOldest
    const values = { destinationId, nowMs, onlyErasures, limit: MAX_CANDIDATES }
    // Other runs find the same ones.
    candidates = shuffle(await queries.rows<Candidate>(find.with(values)))
    readAt = nowMs
  }

  const takeCandidates = async (request: CursorLeaseRequest): Promise<Cursor[]> => {
    const { newestFirst: _order, some, ...values } = request
    const taken: Cursor[] = []
    for (;;) {
      const candidate = candidates.pop()
      if (candidate === undefined) return taken
      const { shard, profile_id: profileId } = candidate
      const [row] = await queries.rows<LeasedRow>(takeInShard.with({ ...values, shard, profileId }))
      if (row !== undefined) taken.push(toCursor(row, request))
      if (row !== undefined && !some) return taken
    }
  }

  return async (request) => {
    if (!(await isSharded(queries))) return takeInOneStatement(queries, request)
    if (request.nowMs - readAt > MAX_CANDIDATE_AGE_MS) candidates = []
    for (let looks = 0; ; looks += 1) {
      const taken = await takeCandidates(request)
      if (taken.length > 0 || looks === MAX_LOOKS) return taken
      await look(request)
      if (candidates.length === 0) return []
    }
  }
}

async function takeInOneStatement(queries: Queries, request: CursorLeaseRequest): Promise<Cursor[]> {
  const { newestFirst, some, ...values } = request
  const [oldest, newest] = some ? [takeSomeOldest, takeSomeNewest] : [takeOldest, takeNewest]
  const rows = await queries.rows<LeasedRow>((newestFirst ? newest : oldest).with(values))
  return rows.map((row) => toCursor(row, request))
}

type LeasedRow = Omit<Cursor, 'profileId' | 'backfillUntil' | 'ackedProfileDigest' | 'destinationId' | 'token'> & {
  profile_id: string
  backfill_until: number
  acked_profile_digest: string | null
}

function toCursor(row: LeasedRow, { destinationId, token }: CursorLeaseRequest): Cursor {
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
