import { shardFor } from '#platform/crypto/ids.ts'
import { firstOf } from '#platform/formats/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { type Batch, deleteBatch, deleteSome } from '../delete-in-batches.ts'

const MINUTE_MS = 60_000
/**
 * Ten minutes, for which a sign-in and then its code are valid, the rest of the minute in which it began, and two minutes in which
 * most people return: then the count lasts until the end of the code, and is not written again.
 */
export const OPEN_SIGN_IN_TTL_MS = 13 * MINUTE_MS

// One statement on one row decides and counts, so concurrent callers see each other.
const countIfBelowLimit = statement(
  'sign-in-open',
  `update open_sign_in set (minutes, counts) = (
     select array_agg(minute order by minute), array_agg(n order by minute) from (
       select minute, sum(n)::integer as n from (
         select minute, n from unnest(minutes, counts) as known (minute, n) where minute > $expiredMinute and n > 0
         union all select $minute, 1) as each group by minute) as summed)
   where shard = $shard and subject = $subject and $limit::bigint > (
     select coalesce(sum(n), 0) from unnest(minutes, counts) as known (minute, n) where minute > $expiredMinute)`,
)
const insertFirst = statement(
  'sign-in-open-first',
  `insert into open_sign_in (shard, subject, minutes, counts)
   values ($shard, $subject, array[$minute::bigint], array[1]) on conflict (shard, subject) do nothing`,
)
const subtractOne = statement(
  'sign-in-close',
  `update open_sign_in set counts = array(
     select case when minute = $minute then greatest(n - 1, 0) else n end
     from unnest(minutes, counts) with ordinality as known (minute, n, ordinal) order by ordinal)
   where shard = $shard and subject = $subject and $minute = any(minutes)`,
)
const sumOpen = statement(
  'sign-in-read',
  `select coalesce(sum(n), 0)::bigint as n, min(minute) as oldest
   from open_sign_in, unnest(minutes, counts) as known (minute, n)
   where shard = $shard and subject = $subject and minute > $expiredMinute and n > 0`,
)
// The newest minute is the last one.
const purge = statement(
  'sign-in-purge',
  deleteSome('open_sign_in', 'shard, subject', 'minutes[cardinality(minutes)] <= $expiredMinute'),
)

/** The start of the minute under which a sign-in of this time is counted. */
export function minuteOf(nowMs: number): number {
  return nowMs - (nowMs % MINUTE_MS)
}

export function appSubject(appId: string): string {
  return `app ${appId}`
}

/** Counts a sign-in, unless `limit` are unfinished already. False when it was not counted. */
export async function openSignIn(queries: Queries, subject: string, nowMs: number, limit: number): Promise<boolean> {
  if (limit <= 0) return false
  const row = { shard: shardFor(subject), subject, minute: minuteOf(nowMs) }
  const counted = countIfBelowLimit.with({
    ...row,
    expiredMinute: expiredMinute(nowMs),
    limit: Math.min(limit, Number.MAX_SAFE_INTEGER),
  })
  if ((await queries.count(counted)) > 0) return true
  if ((await queries.count(insertFirst.with(row))) > 0) return true
  // The row exists: `limit` are unfinished, or another caller inserted it just now.
  return (await queries.count(counted)) > 0
}

/** Counts a sign-in that was accepted before, whatever the limit is. */
export async function addOpenSignIn(queries: Queries, subject: string, nowMs: number): Promise<void> {
  await openSignIn(queries, subject, nowMs, Number.POSITIVE_INFINITY)
}

export async function closeSignIn(queries: Queries, subject: string, minute: number): Promise<void> {
  await queries.count(subtractOne.with({ shard: shardFor(subject), subject, minute }))
}

/** How many are unfinished, and when the oldest of them expires. */
export async function openSignIns(
  queries: Queries,
  subject: string,
  nowMs: number,
): Promise<{ n: number; nextExpiresAt: number | undefined }> {
  const values = { shard: shardFor(subject), subject, expiredMinute: expiredMinute(nowMs) }
  const { n, oldest } = firstOf(await queries.rows<{ n: number; oldest: number | null }>(sumOpen.with(values)))
  return { n, nextExpiresAt: oldest === null ? undefined : oldest + OPEN_SIGN_IN_TTL_MS }
}

export function purgeOpenSignIns(queries: Queries, nowMs: number): Promise<Batch> {
  return deleteBatch(queries, purge.with({ expiredMinute: expiredMinute(nowMs) }))
}

/** Sign-ins that began in this minute or earlier have expired. */
function expiredMinute(nowMs: number): number {
  return minuteOf(nowMs) - OPEN_SIGN_IN_TTL_MS
}
