import { shardFor } from '#platform/ids.ts'
import { firstOf } from '#platform/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

const MINUTE_MS = 60_000
/** As long as a sign-in or its code lives, and the rest of the minute in which it began. */
const TTL_MS = 11 * MINUTE_MS

// One statement on one row decides and counts: callers at the same time see each other.
const open = statement(
  'sign-in-open',
  `insert into open_sign_in (shard, subject, minutes, counts) select $1, $2, array[$3::bigint], array[1] where $5::bigint > 0
   on conflict (shard, subject) do update set (minutes, counts) = (
     select array_agg(minute order by minute), array_agg(n order by minute) from (
       select minute, sum(n)::integer as n from (
         select minute, n from unnest(open_sign_in.minutes, open_sign_in.counts) as known (minute, n) where minute > $4 and n > 0
         union all select $3, 1) as each group by minute) as summed)
   where $5 > (select coalesce(sum(n), 0) from unnest(open_sign_in.minutes, open_sign_in.counts) as known (minute, n) where minute > $4)`,
)
const close = statement(
  'sign-in-close',
  `update open_sign_in set counts = array(
     select case when minute = $3 then greatest(n - 1, 0) else n end
     from unnest(minutes, counts) with ordinality as known (minute, n, place) order by place)
   where shard = $1 and subject = $2 and $3 = any(minutes)`,
)
const read = statement(
  'sign-in-read',
  `select coalesce(sum(n), 0)::bigint as n, min(minute) as oldest from open_sign_in, unnest(minutes, counts) as known (minute, n)
   where shard = $1 and subject = $2 and minute > $3 and n > 0`,
)
// The newest minute stands last.
const purge = statement('sign-in-purge', 'delete from open_sign_in where minutes[cardinality(minutes)] <= $1')

/** The minute that a time lies in, as sign-ins of it are counted. */
export function minuteOf(nowMs: number): number {
  return nowMs - (nowMs % MINUTE_MS)
}

export function appSubject(appId: string): string {
  return `app ${appId}`
}

/** Counts a sign-in, unless `limit` are unfinished already. */
export async function openSignIn(queries: Queries, subject: string, nowMs: number, limit: number): Promise<boolean> {
  const most = Math.min(limit, Number.MAX_SAFE_INTEGER)
  return (await queries.count(open, [shardFor(subject), subject, minuteOf(nowMs), overBefore(nowMs), most])) > 0
}

/** Counts one that may not be refused any more. */
export async function addOpenSignIn(queries: Queries, subject: string, nowMs: number): Promise<void> {
  await openSignIn(queries, subject, nowMs, Number.POSITIVE_INFINITY)
}

export async function closeSignIn(queries: Queries, subject: string, minute: number): Promise<void> {
  await queries.count(close, [shardFor(subject), subject, minute])
}

/** How many are unfinished, and when the oldest of them is over by itself. */
export async function openSignIns(
  queries: Queries,
  subject: string,
  nowMs: number,
): Promise<{ n: number; nextOverAt: number | undefined }> {
  const values = [shardFor(subject), subject, overBefore(nowMs)]
  const { n, oldest } = firstOf(await queries.rows<{ n: number; oldest: number | null }>(read, values))
  return { n, nextOverAt: oldest === null ? undefined : oldest + TTL_MS }
}

export async function purgeOpenSignIns(queries: Queries, nowMs: number): Promise<number> {
  return queries.count(purge, [overBefore(nowMs)])
}

/** Those that began in this minute or earlier are over. */
function overBefore(nowMs: number): number {
  return minuteOf(nowMs) - TTL_MS
}
