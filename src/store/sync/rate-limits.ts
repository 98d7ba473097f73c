import { type Queries, statement } from '#platform/postgres/database.ts'
import { isSharded } from '../cluster/is-sharded.ts'
import type { Batch, Position } from '../delete-in-batches.ts'
import { WALK_BATCH, walkBatch } from '../walk.ts'

/** A token bucket for calls to a service. */
export interface BucketSize {
  /** How many tokens it can hold. */
  burst: number
  /** How fast it fills. */
  perMs: number
}

export interface Grant {
  granted: number
  /** When to try again if nothing was granted. */
  retryAtMs: number
  /** In the bucket, after the grant. */
  left: RemainingCapacity
}

/** What to take from a bucket: up to `wanted` tokens, at least `least` or none, and never the `reserved` ones. */
export interface Take {
  bucket: string
  size: BucketSize
  wanted: number
  least: number
  reserved: number
}

interface Row {
  bucket: string
  tokens: number
  refilled_at: number
  blocked_until: number
}

/**
 * Limit: how far ahead a stored block may end. Blocks are cut to less when they are stored; one that ends later is
 * older than that rule or comes from a wrong clock, and is ignored.
 */
const MAX_BLOCK_MS = 2 * 86_400_000

/**
 * Limit: how far the clocks of processes may differ. A time further ahead comes from a wrong clock, and the bucket
 * refills from now.
 */
const MAX_CLOCK_SKEW_MS = 60_000

/** After a block at least this long, one call is made before the others: the service may refuse it again. */
const LONG_BLOCK_MS = 600_000
/** For how long the others wait for the response to it; a refusal blocks them anew. */
const PROBE_MS = 10_000

const isBlocked =
  `rate_limit.blocked_until > $nowMs and rate_limit.blocked_until <= $nowMs::bigint + ${MAX_BLOCK_MS}` as const
const refilledTokens = `least($burst::float8,
  rate_limit.tokens + greatest($nowMs::bigint - rate_limit.refilled_at, 0) * $perMs::float8)`
// While a block lasts, `refilled_at` stays the time at which it began.
const isProbe = `rate_limit.blocked_until > 0 and rate_limit.blocked_until <= $nowMs and rate_limit.blocked_until - rate_limit.refilled_at >= ${LONG_BLOCK_MS}`
// Nothing is better than too little for one call: it would be lost.
const grant =
  `case when ${isProbe} then $least::float8 when ${isBlocked} or floor(${refilledTokens} - $reserved::float8) < $least::float8 then 0
  else least($wanted::float8, floor(${refilledTokens} - $reserved::float8)) end` as const
const firstGrant = `case when floor($burst::float8 - $reserved::float8) < $least::float8 then 0
  else least($wanted::float8, floor($burst::float8 - $reserved::float8)) end`
const refilledAt = `case when rate_limit.refilled_at > $nowMs::bigint + ${MAX_CLOCK_SKEW_MS} then $nowMs
  when ${isBlocked} then rate_limit.refilled_at else greatest(rate_limit.refilled_at, $nowMs) end` as const
const tokensLeft = `case when ${isProbe} then greatest(${refilledTokens} - $least::float8, 0) when ${isBlocked} then rate_limit.tokens
  else ${refilledTokens} - ${grant} end`
const blockedUntil = `case when ${isProbe} then $nowMs::bigint + ${PROBE_MS} else rate_limit.blocked_until end`
// One statement, so that the row is locked only while it runs and a hot bucket serves many processes.
const take = statement(
  'rate-limit-take',
  `insert into rate_limit (bucket, tokens, refilled_at, blocked_until, granted)
   values ($bucket, $burst::float8 - ${firstGrant}, $nowMs, 0, ${firstGrant})
   on conflict (bucket) do update set tokens = ${tokensLeft}, refilled_at = ${refilledAt},
     blocked_until = ${blockedUntil}, granted = ${grant}
   returning tokens, blocked_until, granted`,
)
/** `$burst::float8` and its like, of the bucket of this row. */
const ofEach = (text: string, row: string) =>
  text.replaceAll(/\$(burst|perMs|wanted|least|reserved)::float8/g, `${row}.$1`)
// In the order of their names, so that two takers never wait for each other.
const takeSeveral = statement(
  'rate-limit-take-several',
  `insert into rate_limit (bucket, tokens, refilled_at, blocked_until, granted)
   select bucket, burst - ${ofEach(firstGrant, 'asked')}, $nowMs::bigint, 0, ${ofEach(firstGrant, 'asked')}
   from unnest($buckets::text[], $bursts::float8[], $rates::float8[], $wanted::float8[], $least::float8[], $reserved::float8[])
     as asked (bucket, burst, perMs, wanted, least, reserved) order by bucket
   on conflict (bucket) do update set (tokens, refilled_at, blocked_until, granted) = (
     select ${ofEach(tokensLeft, 'own')}, ${refilledAt}, ${blockedUntil}, ${ofEach(grant, 'own')}
     from unnest($buckets::text[], $bursts::float8[], $rates::float8[], $wanted::float8[], $least::float8[], $reserved::float8[])
       as own (bucket, burst, perMs, wanted, least, reserved) where own.bucket = rate_limit.bucket)
   returning bucket, tokens, blocked_until, granted`,
)
const find = statement(
  'rate-limit-find',
  'select bucket, tokens, refilled_at, blocked_until from rate_limit where bucket = any($buckets)',
)
const block = statement(
  'rate-limit-block',
  `insert into rate_limit (bucket, tokens, refilled_at, blocked_until, granted) values ($bucket, 0, $nowMs, $untilMs, 0)
   on conflict (bucket) do update set tokens = least(rate_limit.tokens, 0),
     refilled_at = case when ${isBlocked} then rate_limit.refilled_at else greatest(rate_limit.refilled_at, $nowMs) end,
     blocked_until = case when rate_limit.blocked_until <= $nowMs::bigint + ${MAX_BLOCK_MS}
       then greatest(rate_limit.blocked_until, excluded.blocked_until) else excluded.blocked_until end`,
)
const forget = statement('rate-limit-forget', 'delete from rate_limit where bucket = $bucket')
const walk = statement(
  'rate-limit-walk',
  'select bucket from rate_limit where bucket > $after order by bucket limit $limit',
)
const purge = statement(
  'rate-limit-purge',
  `delete from rate_limit
   where bucket > $after and bucket <= $last and refilled_at < $beforeMs and blocked_until < $beforeMs`,
)

/** The row's lock makes it exact over all processes. */
export async function takeTokens(queries: Queries, asked: Take, nowMs: number): Promise<Grant> {
  const { bucket, size, wanted, least, reserved } = asked
  const [row] = await queries.rows<TakenRow>(take.with({ bucket, ...size, wanted, least, reserved, nowMs }))
  return toGrant(row!, asked, nowMs)
}

/** From several buckets: in one statement, but where they are divided among servers, with one for each. In the order of `asked`. */
export async function takeFromSeveral(queries: Queries, asked: readonly Take[], nowMs: number): Promise<Grant[]> {
  if (await isSharded(queries)) return Promise.all(asked.map((one) => takeTokens(queries, one, nowMs)))
  const rows = await queries.rows<TakenRow & { bucket: string }>(
    takeSeveral.with({
      buckets: asked.map(({ bucket }) => bucket),
      bursts: asked.map(({ size }) => size.burst),
      rates: asked.map(({ size }) => size.perMs),
      wanted: asked.map(({ wanted }) => wanted),
      least: asked.map(({ least }) => least),
      reserved: asked.map(({ reserved }) => reserved),
      nowMs,
    }),
  )
  const found = new Map(rows.map((row) => [row.bucket, row]))
  return asked.map((one) => toGrant(found.get(one.bucket)!, one, nowMs))
}

interface TakenRow {
  tokens: number
  blocked_until: number
  granted: number
}

function toGrant(row: TakenRow, { size, least, reserved }: Take, nowMs: number): Grant {
  const { tokens, granted } = row
  const blockedUntil = plausibleBlock(row.blocked_until, nowMs)
  const refilledAt = nowMs + Math.max(1, Math.ceil((reserved + least - tokens) / size.perMs))
  return {
    granted,
    retryAtMs: granted > 0 ? nowMs : Math.max(blockedUntil, refilledAt),
    left: { tokens, blockedUntil },
  }
}

/** The bucket is full again, and what a response said about it is forgotten. */
export async function forgetRateLimit(queries: Queries, bucket: string): Promise<void> {
  await queries.count(forget.with({ bucket }))
}

export interface RemainingCapacity {
  tokens: number
  blockedUntil: number
}

/** The remaining capacity of these buckets; one without a row is full. */
export async function readRateLimits(
  queries: Queries,
  buckets: { name: string; size: BucketSize }[],
  nowMs: number,
): Promise<Map<string, RemainingCapacity>> {
  const rows = await queries.rows<Row>(find.with({ buckets: buckets.map(({ name }) => name) }))
  const found = new Map(rows.map((row) => [row.bucket, row]))
  return new Map(
    buckets.map(({ name, size }) => {
      const row = found.get(name)
      return [
        name,
        row === undefined
          ? { tokens: size.burst, blockedUntil: 0 }
          : { tokens: refill(row, size, nowMs), blockedUntil: plausibleBlock(row.blocked_until, nowMs) },
      ]
    }),
  )
}

/** Blocks all calls until a time that the service named. */
export async function blockRateLimit(queries: Queries, bucket: string, untilMs: number, nowMs: number): Promise<void> {
  await queries.count(block.with({ bucket, nowMs, untilMs }))
}

/** Removes buckets that have been unused for so long that they are full again: one without a row counts as full. */
export function purgeRateLimits(queries: Queries, beforeMs: number, [after = '']: Position = []): Promise<Batch> {
  return walkBatch<{ bucket: string }>(
    queries,
    walk.with({ after, limit: WALK_BATCH }),
    ({ bucket: last }) => queries.count(purge.with({ after, last, beforeMs })),
    ({ bucket }) => [bucket],
  )
}

function plausibleBlock(blockedUntil: number, nowMs: number): number {
  return blockedUntil > nowMs + MAX_BLOCK_MS ? 0 : blockedUntil
}

function refill(row: Row, size: BucketSize, nowMs: number): number {
  return Math.min(size.burst, row.tokens + Math.max(nowMs - row.refilled_at, 0) * size.perMs)
}
