import { shardOf } from '#platform/ids.ts'
import { firstOf } from '#platform/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { ProfileKey } from '../sync/schedule.ts'

/** One profile's way to one destination. */
export interface CursorKey extends ProfileKey {
  destinationId: string
}

const fresh = `seq, written, backfill_until, generation, due_at, scheduled, revision, acked_revision, behind_since, epoch, erase, dead, redrive, fails, rows`
const openForProfile = statement(
  'cursor-open-profile',
  `insert into delivery_cursor as c (shard, profile_id, destination_id, ${fresh})
   select $shard, $profileId, id, 0, 0, 0, 0, case when schedule = 'on_change' then $nowMs::bigint end, schedule <> 'on_change', 1, 0, $nowMs, 0, false, false, false, 0, 0
   from destination where app_id = $appId
   on conflict (shard, profile_id, destination_id) do update set revision = c.revision + 1, behind_since = coalesce(c.behind_since, $nowMs),
     due_at = case when c.scheduled or c.lease_token is not null then c.due_at else $nowMs end`,
)
const openForDestination = statement(
  'cursor-open-destination',
  `insert into delivery_cursor (shard, profile_id, destination_id, ${fresh})
   select p.shard, p.profile_id, d.id, 0, 0, p.seq, 0, case when d.schedule = 'on_change' then $nowMs::bigint end, d.schedule <> 'on_change', 1, 0, $nowMs, 0, false, false, false, 0, 0
   from destination d join profile_sync p on p.app_id = d.app_id where d.id = $destinationId on conflict do nothing`,
)
// A sign-in and a new destination that do not see each other's transaction leave a gap; this closes it.
const openMissing = statement(
  'cursor-open-missing',
  `insert into delivery_cursor (shard, profile_id, destination_id, ${fresh})
   select p.shard, p.profile_id, d.id, 0, 0, p.seq, 0, case when d.schedule = 'on_change' then $nowMs::bigint end, d.schedule <> 'on_change', 1, 0, $nowMs, 0, false, false, false, 0, 0
   from destination d join profile_sync p on p.app_id = d.app_id
   where not exists (select 1 from delivery_cursor c where c.shard = p.shard and c.profile_id = p.profile_id and c.destination_id = d.id)
   on conflict do nothing`,
)
const markDue = statement(
  'cursor-due',
  `update delivery_cursor set revision = revision + 1, behind_since = coalesce(behind_since, $nowMs),
     due_at = case when scheduled or lease_token is not null or fails > 0 then due_at else least(coalesce(due_at, $nowMs), $nowMs) end
   where shard = $shard and profile_id = $profileId`,
)
// Takes the pen from a run under way: what it still writes, it writes under an older epoch.
const markErase = statement(
  'cursor-erase',
  `update delivery_cursor set erase = true, due_at = $nowMs, lease_token = null, fails = 0, revision = revision + 1, behind_since = coalesce(behind_since, $nowMs)
   where shard = $shard and profile_id = $profileId`,
)
const resend = statement(
  'cursor-resend',
  `update delivery_cursor set seq = 0, acked_profile_digest = null, generation = generation + 1, revision = revision + 1, behind_since = coalesce(behind_since, $nowMs),
     due_at = case when scheduled then due_at else $nowMs end, lease_token = null, fails = 0
   where shard = $shard and profile_id = $profileId`,
)
const rewind = statement(
  'cursor-rewind',
  `update delivery_cursor set seq = least(seq, $seq), acked_profile_digest = null, generation = generation + 1, revision = revision + 1, behind_since = coalesce(behind_since, $nowMs),
     due_at = $nowMs, lease_token = null, fails = 0
   where destination_id = $destinationId and ($profileId::text is null or profile_id = $profileId)`,
)
// Numbers and times grow together, so the newest change that is older marks the place; nothing has to be searched beyond it.
const rewindSince = statement(
  'cursor-rewind-since',
  `update delivery_cursor c set due_at = $nowMs, lease_token = null, fails = 0, acked_profile_digest = null, generation = generation + 1, revision = revision + 1,
     behind_since = coalesce(behind_since, $nowMs), seq = least(c.seq, greatest(
       coalesce((select i.seq from item i where i.shard = c.shard and i.profile_id = c.profile_id and i.updated_at < $sinceMs order by i.seq desc limit 1), 0),
       coalesce((select g.seq from item_tombstone g where g.shard = c.shard and g.profile_id = c.profile_id and g.deleted_at < $sinceMs order by g.seq desc limit 1), 0)))
   where c.destination_id = $destinationId and ($profileId::text is null or c.profile_id = $profileId)`,
)
const wake = statement(
  'cursor-wake',
  `update delivery_cursor c set due_at = $nowMs, fails = 0 from (
     select shard, profile_id, destination_id from delivery_cursor where destination_id = $destinationId and (due_at is not null or revision > acked_revision)
       and lease_token is null and (due_at is null or due_at > $nowMs) limit $most for update skip locked) open
   where c.shard = open.shard and c.profile_id = open.profile_id and c.destination_id = open.destination_id`,
)
const next = statement(
  'cursor-next',
  `select shard, profile_id, seq from delivery_cursor where destination_id = $destinationId and (shard, profile_id) >= ($shard, $profileId) and profile_id <> $skipped and not erase order by shard, profile_id limit 1`,
)
const setScheduled = statement(
  'cursor-paced',
  'update delivery_cursor set scheduled = $scheduled where destination_id = $destinationId',
)
const stopRuns = statement(
  'cursor-stop-runs',
  'update delivery_cursor set lease_token = null where destination_id = $destinationId and lease_token is not null',
)
const redrive = statement(
  'cursor-redrive',
  `update delivery_cursor set redrive = true, revision = revision + 1, behind_since = coalesce(behind_since, $nowMs), lease_token = null, fails = 0, due_at = $nowMs
   where destination_id = $destinationId and dead`,
)
const removeAll = statement('cursor-remove-all', 'delete from delivery_cursor where destination_id = $destinationId')
const removeOrphans = statement(
  'cursor-remove-orphans',
  'delete from delivery_cursor c where not exists (select 1 from destination d where d.id = c.destination_id)',
)
const summary = statement(
  'cursor-summary',
  `select count(*) as profiles, coalesce(sum(c.rows), 0)::bigint as rows, max(c.delivered_at) as delivered_at, min(c.behind_since) as behind_since,
     count(*) filter (where p.seq > c.seq or c.revision > c.acked_revision) as behind, coalesce(sum(greatest(p.seq - c.seq, 0)), 0)::bigint as changes_behind,
     count(*) filter (where c.fails > 0) as failing
   from delivery_cursor c left join profile_sync p on p.shard = c.shard and p.profile_id = c.profile_id where c.destination_id = $destinationId`,
)
const lag = statement(
  'cursor-lag',
  `select d.kind, coalesce(sum(greatest(p.seq - c.seq, 0)), 0)::bigint as changes, min(c.behind_since) as since
   from delivery_cursor c join destination d on d.id = c.destination_id left join profile_sync p on p.shard = c.shard and p.profile_id = c.profile_id
   where (c.due_at is not null or c.revision > c.acked_revision) and d.state <> 'paused' group by d.kind`,
)

const WAKE_AT_ONCE = 2000

/** A profile was connected: every destination of its app will hear of it. */
export async function openProfileCursors(tx: Queries, key: ProfileKey, appId: string, nowMs: number): Promise<void> {
  await tx.count(openForProfile.with({ ...key, appId, nowMs }))
}

/** A destination was made: it will hear of every profile there is. */
export async function openDestinationCursors(tx: Queries, destinationId: string, nowMs: number): Promise<number> {
  return tx.count(openForDestination.with({ destinationId, nowMs }))
}

export async function openMissingCursors(queries: Queries, nowMs: number): Promise<number> {
  return queries.count(openMissing.with({ nowMs }))
}

/** Written in the transaction of the change itself, so that no change is ever forgotten. */
export async function markDeliveriesDue(tx: Queries, key: ProfileKey, nowMs: number): Promise<void> {
  await tx.count(markDue.with({ ...key, nowMs }))
}

/** The profile is gone; its rows must go from every destination. */
export async function markDeliveriesErased(tx: Queries, key: ProfileKey, nowMs: number): Promise<void> {
  await tx.count(markErase.with({ ...key, nowMs }))
}

/** Everything of a profile is sent again to every destination, because what belongs there has changed. */
export async function resendProfile(tx: Queries, key: ProfileKey, nowMs: number): Promise<void> {
  await tx.count(resend.with({ ...key, nowMs }))
}

/** Everything after this number is sent again, of all profiles or of one. */
export async function rewindCursors(
  queries: Queries,
  destinationId: string,
  seq: number,
  nowMs: number,
  profileId?: string,
): Promise<number> {
  return queries.count(rewind.with({ destinationId, seq, nowMs, profileId: profileId ?? null }))
}

export async function rewindCursorsSince(
  queries: Queries,
  destinationId: string,
  sinceMs: number,
  nowMs: number,
  profileId?: string,
): Promise<number> {
  return queries.count(rewindSince.with({ destinationId, sinceMs, nowMs, profileId: profileId ?? null }))
}

/** Some of what is open becomes due; few enough that no sync has to wait long for a row. True when there may be more. */
export async function wakeSomeCursors(queries: Queries, destinationId: string, nowMs: number): Promise<boolean> {
  return (await queries.count(wake.with({ destinationId, nowMs, most: WAKE_AT_ONCE }))) === WAKE_AT_ONCE
}

/** Everything that is open becomes due. */
export async function wakeCursors(queries: Queries, destinationId: string, nowMs: number): Promise<number> {
  let woken = 0
  for (;;) {
    const count = await queries.count(wake.with({ destinationId, nowMs, most: WAKE_AT_ONCE }))
    woken += count
    if (count < WAKE_AT_ONCE) return woken
  }
}

export interface CursorPosition extends CursorKey {
  seq: number
}

/** The cursors of a destination, one after the other: the one behind a profile, or its own where that is still to do. */
export async function nextCursor(
  queries: Queries,
  destinationId: string,
  { profileId, isDone }: { profileId: string; isDone: boolean },
): Promise<CursorPosition | undefined> {
  const values = { destinationId, shard: shardOf(profileId) ?? -1, profileId, skipped: isDone ? profileId : '' }
  const [row] = await queries.rows<{ shard: number; profile_id: string; seq: number }>(next.with(values))
  return row && { shard: row.shard, profileId: row.profile_id, destinationId, seq: row.seq }
}

export async function setCursorsScheduled(tx: Queries, destinationId: string, scheduled: boolean): Promise<void> {
  await tx.count(setScheduled.with({ destinationId, scheduled }))
}

/** Runs under way write nothing more. */
export async function stopRunsOf(tx: Queries, destinationId: string): Promise<void> {
  await tx.count(stopRuns.with({ destinationId }))
}

/** Gives how many profiles have rows to be tried again. */
export async function redriveCursors(tx: Queries, destinationId: string, nowMs: number): Promise<number> {
  return tx.count(redrive.with({ destinationId, nowMs }))
}

export async function removeCursors(tx: Queries, destinationId: string): Promise<void> {
  await tx.count(removeAll.with({ destinationId }))
}

/** Those of destinations that went with their app. */
export async function removeOrphanCursors(queries: Queries): Promise<number> {
  return queries.count(removeOrphans)
}

export interface CursorSummary {
  profiles: number
  rows: number
  delivered_at: number | null
  behind_since: number | null
  behind: number
  changes_behind: number
  failing: number
}

export async function summarizeCursors(queries: Queries, destinationId: string): Promise<CursorSummary> {
  return firstOf(await queries.rows<CursorSummary>(summary.with({ destinationId })))
}

/** How far all destinations of a kind are behind together. */
export async function lagByKind(queries: Queries): Promise<{ kind: string; changes: number; since: number | null }[]> {
  return queries.rows(lag)
}
