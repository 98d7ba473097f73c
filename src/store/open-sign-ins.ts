import { partFor } from '#base/ids.ts'
import { type Queries, statement } from './database.ts'

const MINUTE_MS = 60_000
/** As long as a sign-in or its code lives, and the rest of the minute in which it began. */
const KEPT_MS = 11 * MINUTE_MS

// One statement decides and counts. Callers at the same time meet at the row of this minute, whose newest state the condition
// sees; rows of past minutes only shrink.
const open = statement(
  'sign-in-open',
  `insert into open_sign_in (part, subject, minute, n)
   select $1, $2, $3, 1 where $5 > (select coalesce(sum(n), 0) from open_sign_in where part = $1 and subject = $2 and minute > $4)
   on conflict (part, subject, minute) do update set n = open_sign_in.n + 1
   where open_sign_in.n + (select coalesce(sum(o.n), 0) from open_sign_in o
     where o.part = $1 and o.subject = $2 and o.minute > $4 and o.minute <> $3) < $5`,
)
const add = statement(
  'sign-in-add',
  `insert into open_sign_in (part, subject, minute, n) values ($1, $2, $3, 1)
   on conflict (part, subject, minute) do update set n = open_sign_in.n + 1`,
)
const close = statement(
  'sign-in-close',
  'update open_sign_in set n = greatest(n - 1, 0) where part = $1 and subject = $2 and minute = $3',
)
const read = statement(
  'sign-in-read',
  `select coalesce(sum(n), 0)::bigint as n, min(minute) as oldest from open_sign_in
   where part = $1 and subject = $2 and minute > $3 and n > 0`,
)
const purge = statement('sign-in-purge', 'delete from open_sign_in where minute <= $1')

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
  return (await queries.count(open, [partFor(subject), subject, minuteOf(nowMs), overBefore(nowMs), most])) > 0
}

/** Counts one that may not be refused any more. */
export async function addOpenSignIn(queries: Queries, subject: string, nowMs: number): Promise<void> {
  await queries.count(add, [partFor(subject), subject, minuteOf(nowMs)])
}

export async function closeSignIn(queries: Queries, subject: string, minute: number): Promise<void> {
  await queries.count(close, [partFor(subject), subject, minute])
}

/** How many are unfinished, and when the oldest of them is over by itself. */
export async function openSignIns(
  queries: Queries,
  subject: string,
  nowMs: number,
): Promise<{ n: number; nextOverAt: number | undefined }> {
  const [row] = await queries.rows<{ n: number; oldest: number | null }>(read, [
    partFor(subject),
    subject,
    overBefore(nowMs),
  ])
  return { n: row!.n, nextOverAt: row!.oldest === null ? undefined : row!.oldest + KEPT_MS }
}

export async function purgeOpenSignIns(queries: Queries, nowMs: number): Promise<number> {
  return queries.count(purge, [overBefore(nowMs)])
}

/** Those that began in this minute or earlier are over. */
function overBefore(nowMs: number): number {
  return minuteOf(nowMs) - KEPT_MS
}
