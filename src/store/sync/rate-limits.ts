import { type Queries, statement } from '#platform/postgres/database.ts'

/** Calls that may still be made to a service: a bucket that fills with time. */
export interface BucketSize {
  /** Most tokens it holds. */
  burst: number
  /** How fast it fills. */
  perMs: number
}

export interface Grant {
  granted: number
  /** When asking again makes sense, if nothing was granted. */
  retryAtMs: number
}

interface Row {
  bucket: string
  tokens: number
  refilled_at: number
  blocked_until: number
}

/**
 * Limit: how far ahead a stored block may lie and still hold. Blocks are cut to less when they are stored; what lies further
 * comes from before that, or from a clock that was wrong, and is ignored.
 */
const MAX_BLOCK_MS = 2 * 86_400_000

const isBlocked = `rate_limit.blocked_until > $5 and rate_limit.blocked_until <= $5::bigint + ${MAX_BLOCK_MS}`
const filledNow = 'least($2::float8, rate_limit.tokens + greatest($5::bigint - rate_limit.refilled_at, 0) * $3::float8)'
const grantNow = `case when ${isBlocked} then 0
  else greatest(0, least($4::float8, floor(${filledNow} - $6::float8))) end`
const firstGrant = 'greatest(0, least($4::float8, floor($2::float8 - $6::float8)))'
/** Limit: how far processes' clocks may be apart. A time further ahead comes from a clock that was wrong, and the bucket fills anew from now. */
const MAX_CLOCK_SKEW_MS = 60_000
const refilledNow = `case when rate_limit.refilled_at > $5::bigint + ${MAX_CLOCK_SKEW_MS} then $5 else greatest(rate_limit.refilled_at, $5) end`
// One statement, so that the row's lock lasts no longer than it does and a hot bucket serves many processes.
const take = statement(
  'rate-limit-take',
  `insert into rate_limit (bucket, tokens, refilled_at, blocked_until, granted) values ($1, $2::float8 - ${firstGrant}, $5, 0, ${firstGrant})
   on conflict (bucket) do update set tokens = ${filledNow} - ${grantNow}, refilled_at = ${refilledNow}, granted = ${grantNow}
   returning tokens, blocked_until, granted`,
)
const find = statement(
  'rate-limit-find',
  'select bucket, tokens, refilled_at, blocked_until from rate_limit where bucket = any($1)',
)
const block = statement(
  'rate-limit-block',
  `insert into rate_limit (bucket, tokens, refilled_at, blocked_until, granted) values ($1, 0, $2, $3, 0)
   on conflict (bucket) do update set tokens = least(rate_limit.tokens, 0), refilled_at = greatest(rate_limit.refilled_at, $2),
     blocked_until = case when rate_limit.blocked_until <= $2::bigint + ${MAX_BLOCK_MS}
       then greatest(rate_limit.blocked_until, excluded.blocked_until) else excluded.blocked_until end`,
)
const purge = statement('rate-limit-purge', 'delete from rate_limit where refilled_at < $1 and blocked_until < $1')

/** Takes up to `want` tokens, but leaves `keep` for calls that a person waits for. The row's lock makes it exact over all processes. */
export async function takeTokens(
  queries: Queries,
  bucket: string,
  size: BucketSize,
  want: number,
  keep: number,
  nowMs: number,
): Promise<Grant> {
  const [row] = await queries.rows<{ tokens: number; blocked_until: number; granted: number }>(take, [
    bucket,
    size.burst,
    size.perMs,
    want,
    nowMs,
    keep,
  ])
  const { tokens, blocked_until: blockedUntil, granted } = row!
  if (granted > 0) return { granted, retryAtMs: nowMs }
  return {
    granted: 0,
    retryAtMs: Math.max(
      believable(blockedUntil, nowMs),
      nowMs + Math.max(1, Math.ceil((keep + 1 - tokens) / size.perMs)),
    ),
  }
}

export interface RemainingCapacity {
  tokens: number
  blockedUntil: number
}

/** What is left in each of these buckets; those that nobody has touched are full. */
export async function readRateLimits(
  queries: Queries,
  buckets: { name: string; size: BucketSize }[],
  nowMs: number,
): Promise<Map<string, RemainingCapacity>> {
  const rows = await queries.rows<Row>(find, [buckets.map(({ name }) => name)])
  const found = new Map(rows.map((row) => [row.bucket, row]))
  return new Map(
    buckets.map(({ name, size }) => {
      const row = found.get(name)
      return [
        name,
        row === undefined
          ? { tokens: size.burst, blockedUntil: 0 }
          : { tokens: filled(row, size, nowMs), blockedUntil: believable(row.blocked_until, nowMs) },
      ]
    }),
  )
}

/** Nobody calls before this time: the service said so. */
export async function blockRateLimit(queries: Queries, bucket: string, untilMs: number, nowMs: number): Promise<void> {
  await queries.count(block, [bucket, nowMs, untilMs])
}

/** Drops buckets that nobody has used for so long that they are full again: a missing one counts as full. */
export async function purgeRateLimits(queries: Queries, beforeMs: number): Promise<number> {
  return queries.count(purge, [beforeMs])
}

function believable(blockedUntil: number, nowMs: number): number {
  return blockedUntil > nowMs + MAX_BLOCK_MS ? 0 : blockedUntil
}

function filled(row: Row, size: BucketSize, nowMs: number): number {
  return Math.min(size.burst, row.tokens + Math.max(nowMs - row.refilled_at, 0) * size.perMs)
}
