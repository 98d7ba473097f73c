import { type Queries, statement } from '#platform/postgres/database.ts'

/** Figures of all apps, each grouped by app: one pass over an index, or over the few rows of a partial one. */
export interface OverviewCounts {
  profiles: { appId: string; service: string; state: string; n: number }[]
  /** Endpoints whose last run failed or was held back. */
  reasons: { appId: string; service: string; reason: string; n: number }[]
  troubles: { appId: string; faults: number; quarantined: number; parked: number }[]
  /** Profiles that are due and wait for a run, and since when the first of them does. */
  due: { appId: string; n: number; since: number }[]
  quotas: { appId: string; quota: string; level: 'near' | 'reached'; n: number }[]
  destinations: DestinationCounts[]
}

export interface DestinationCounts {
  id: string
  appId: string
  name: string
  kind: string
  state: string
  error: string | undefined
  /** Undelivered changes, and since when the oldest waits. */
  behind: number
  behindSince: number | undefined
  deadLetters: number
  /** Failed deliveries since the time that the caller gave. */
  failed: number
}

const countProfiles = statement(
  'overview-profiles',
  `select app_id, service, case when state = 'limited' and state_until <= $nowMs then 'active' else state end as state,
     count(*)::int as n
   from profile where merged_into is null group by 1, 2, 3`,
)
const countReasons = statement(
  'overview-reasons',
  `select p.app_id, p.service, e.last_reason as reason, count(*)::int as n
   from endpoint_sync e join profile_sync p on p.shard = e.shard and p.profile_id = e.profile_id
   where e.last_reason is not null group by 1, 2, 3`,
)
const countTroubles = statement(
  'overview-troubles',
  `select p.app_id, sum(e.faults)::int as faults, sum(e.quarantined)::int as quarantined,
     (count(*) filter (where e.deaths >= 3))::int as parked
   from endpoint_sync e join profile_sync p on p.shard = e.shard and p.profile_id = e.profile_id
   where e.faults > 0 or e.quarantined > 0 or e.deaths >= 3 group by 1`,
)
const countDue = statement(
  'overview-due',
  `select app_id, count(*)::int as n, min(next_run_at) as since from profile_sync where next_run_at <= $nowMs group by 1`,
)
const countQuotas = statement(
  'overview-quotas',
  'select app_id, quota, level, count(*)::int as n from quota_notice group by 1, 2, 3',
)
/** Limit: destinations in the overview; newer ones are left out. */
const MAX_DESTINATIONS = 1000
// The feeds of apps are destinations that nobody created.
const listDestinations = statement(
  'overview-destinations',
  `select id, app_id, name, kind, state, last_error as error from destination where kind <> 'feed' order by id limit ${MAX_DESTINATIONS}`,
)
const sumLag = statement(
  'overview-lag',
  `select c.destination_id, coalesce(sum(greatest(p.seq - c.seq, 0)), 0)::bigint as behind, min(c.behind_since) as since
   from delivery_cursor c left join profile_sync p on p.shard = c.shard and p.profile_id = c.profile_id
   where c.due_at is not null or c.revision > c.acked_revision group by 1`,
)
const countDead = statement('overview-dead', 'select destination_id, count(*)::int as n from dead_letter group by 1')
const countFailed = statement(
  'overview-failed',
  'select destination_id, count(*)::int as n from delivery where at >= $sinceMs and not ok group by 1',
)

/** Reads every app, so callers keep the result for a while. */
export async function readOverviewCounts(queries: Queries, nowMs: number, sinceMs: number): Promise<OverviewCounts> {
  const rows = async <Row extends { app_id: string }>(found: Promise<Row[]>) =>
    (await found).map(({ app_id: appId, ...row }) => ({ appId, ...row }))
  return {
    profiles: await rows(
      queries.rows<{ app_id: string; service: string; state: string; n: number }>(countProfiles.with({ nowMs })),
    ),
    reasons: await rows(queries.rows<{ app_id: string; service: string; reason: string; n: number }>(countReasons)),
    troubles: await rows(
      queries.rows<{ app_id: string; faults: number; quarantined: number; parked: number }>(countTroubles),
    ),
    due: await rows(queries.rows<{ app_id: string; n: number; since: number }>(countDue.with({ nowMs }))),
    quotas: await rows(
      queries.rows<{ app_id: string; quota: string; level: 'near' | 'reached'; n: number }>(countQuotas),
    ),
    destinations: await readDestinations(queries, sinceMs),
  }
}

async function readDestinations(queries: Queries, sinceMs: number): Promise<DestinationCounts[]> {
  const found = await queries.rows<{
    id: string
    app_id: string
    name: string
    kind: string
    state: string
    error: string | null
  }>(listDestinations)
  if (found.length === 0) return []
  const byId = <Row extends { destination_id: string }>(rows: Row[]) =>
    new Map(rows.map((row) => [row.destination_id, row]))
  type Counted = { destination_id: string; n: number }
  const lag = byId(await queries.rows<{ destination_id: string; behind: number; since: number | null }>(sumLag))
  const dead = byId(await queries.rows<Counted>(countDead))
  const failed = byId(await queries.rows<Counted>(countFailed.with({ sinceMs })))
  return found.map(({ id, app_id: appId, error, ...rest }) => ({
    id,
    appId,
    ...rest,
    error: error ?? undefined,
    behind: lag.get(id)?.behind ?? 0,
    behindSince: lag.get(id)?.since ?? undefined,
    deadLetters: dead.get(id)?.n ?? 0,
    failed: failed.get(id)?.n ?? 0,
  }))
}
