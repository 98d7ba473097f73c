import { shardOf } from '#platform/crypto/ids.ts'
import { firstOf } from '#platform/formats/list-ends.ts'
import { execute, type Queries, statement } from '#platform/postgres/database.ts'
import type { ProfileKey } from '../keys/profile-key.ts'

/** One profile at one destination. */
export interface CursorKey extends ProfileKey {
  destinationId: string
}

// Every insert selects `d`, the destination: its schedule decides whether the new cursor is due at once.
export const newCursorColumns = `shard, profile_id, destination_id, backfill_until, due_at, scheduled, behind_since, seq,
  written, generation, revision, acked_revision, epoch, erase, dead, redrive, fails, rows`
export const initialValues = `case when d.schedule = 'on_change' then $nowMs::bigint end, d.schedule <> 'on_change', $nowMs, 0,
  0, 0, 1, 0, 0, false, false, false, 0, 0`
const openForProfile = statement(
  'cursor-open-profile',
  `insert into delivery_cursor as c (${newCursorColumns})
   select $shard, $profileId, d.id, 0, ${initialValues} from destination d where d.app_id = $appId
   on conflict (shard, profile_id, destination_id) do update set revision = c.revision + 1,
     behind_since = coalesce(c.behind_since, excluded.behind_since),
     due_at = case when c.scheduled or c.lease_token is not null then c.due_at else excluded.behind_since end`,
)
export const newRevision = 'revision = revision + 1, behind_since = coalesce(behind_since, $nowMs)'
export const newGeneration = `acked_profile_digest = null, generation = generation + 1, ${newRevision}` as const
// A run whose lease is revoked may still write at the destination, but with an older epoch.
export const revokeLease = 'lease_token = null, fails = 0'
const markDue = statement(
  'cursor-due',
  `update delivery_cursor set ${newRevision},
     due_at = case when scheduled or lease_token is not null or fails > 0 then due_at
       else least(coalesce(due_at, $nowMs), $nowMs) end
   where shard = $shard and profile_id = $profileId`,
)
const markErase = statement(
  'cursor-erase',
  `update delivery_cursor set erase = true, due_at = $nowMs, ${revokeLease}, ${newRevision}
   where shard = $shard and profile_id = $profileId`,
)
const resend = statement(
  'cursor-resend',
  `update delivery_cursor set seq = 0, due_at = case when scheduled then due_at else $nowMs end,
     ${revokeLease}, ${newGeneration}
   where shard = $shard and profile_id = $profileId`,
)
const findNext = statement(
  'cursor-next',
  `select shard, profile_id, seq from delivery_cursor
   where destination_id = $destinationId and (shard, profile_id) >= ($shard, $profileId)
     and profile_id <> $skippedProfileId and not erase
   order by shard, profile_id limit 1`,
)
const summarize = statement(
  'cursor-summary',
  `select count(*) as profiles, coalesce(sum(c.rows), 0)::bigint as rows, max(c.delivered_at) as delivered_at,
     min(c.behind_since) as behind_since,
     count(*) filter (where p.seq > c.seq or c.revision > c.acked_revision) as behind,
     coalesce(sum(greatest(p.seq - c.seq, 0)), 0)::bigint as changes_behind,
     count(*) filter (where c.fails > 0) as failing
   from delivery_cursor c left join profile_sync p on p.shard = c.shard and p.profile_id = c.profile_id
   where c.destination_id = $destinationId`,
)
const findLag = statement(
  'cursor-lag',
  `select d.kind, coalesce(sum(greatest(p.seq - c.seq, 0)), 0)::bigint as changes, min(c.behind_since) as since
   from delivery_cursor c join destination d on d.id = c.destination_id
   left join profile_sync p on p.shard = c.shard and p.profile_id = c.profile_id
   where (c.due_at is not null or c.revision > c.acked_revision) and d.state <> 'paused' group by d.kind`,
)

/** Opens a cursor to every destination of the app for a profile that was connected. */
export async function openProfileCursors(tx: Queries, key: ProfileKey, appId: string, nowMs: number): Promise<void> {
  await execute(tx, openForProfile.with({ ...key, appId, nowMs }))
}

/** Call it in the transaction of the change, so that no change is lost. */
export async function markDeliveriesDue(tx: Queries, key: ProfileKey, nowMs: number): Promise<void> {
  await execute(tx, markDue.with({ ...key, nowMs }))
}

/** The profile was deleted: its rows have to be deleted at every destination. */
export async function markDeliveriesErased(tx: Queries, key: ProfileKey, nowMs: number): Promise<void> {
  await execute(tx, markErase.with({ ...key, nowMs }))
}

/** Sends everything of a profile to every destination again, because its contents there have changed. */
export async function resendProfile(tx: Queries, key: ProfileKey, nowMs: number): Promise<void> {
  await execute(tx, resend.with({ ...key, nowMs }))
}

export interface CursorPosition extends CursorKey {
  seq: number
}

/** Iterates over the cursors of a destination: the one of this profile, or the one after it when this one is done. */
export async function nextCursor(
  queries: Queries,
  destinationId: string,
  { profileId, isDone }: { profileId: string; isDone: boolean },
): Promise<CursorPosition | undefined> {
  const skippedProfileId = isDone ? profileId : ''
  const values = { destinationId, shard: shardOf(profileId) ?? -1, profileId, skippedProfileId }
  const [row] = await queries.rows<{ shard: number; profile_id: string; seq: number }>(findNext.with(values))
  return row && { shard: row.shard, profileId: row.profile_id, destinationId, seq: row.seq }
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
  return firstOf(await queries.rows<CursorSummary>(summarize.with({ destinationId })))
}

/** Undelivered changes of all destinations of a kind. */
export async function lagByKind(queries: Queries): Promise<{ kind: string; changes: number; since: number | null }[]> {
  return queries.rows(findLag)
}
