import { setTimeout as sleep } from 'node:timers/promises'
import type { CapacityFixture } from './capacity-fixture.ts'
import type { CpuTime } from './capacity-formula.ts'
import { FAR, INTERVAL_MS } from './capacity-seed.ts'

const PROFILES = Number(process.env['BENCH_PROFILES'] ?? 100_000)
const MINUTES = Number(process.env['BENCH_MINUTES'] ?? 10)
/** For the start of the service, before the first profile is due. */
const LEAD_MS = 20_000

export interface CapacityRun {
  profiles: number
  minutes: number
  /** Checks that were due, and those of them that were made. */
  due: number
  made: number
  callsPerSecond: number
  /** For each call. */
  cpu: CpuTime
  /** Cores that were busy on average. */
  cores: CpuTime
  lagMs: { p50: number; p99: number; max: number }
}

/** Many profiles at a fixed interval for some minutes, as they would be after days of service: due at any time of the interval. */
export async function runAtCapacity(fixture: CapacityFixture): Promise<CapacityRun> {
  const { client } = fixture
  await fixture.seed({ mode: 'empty', count: PROFILES, dueAt: () => FAR + Math.random() * INTERVAL_MS })
  const startMs = Date.now() + LEAD_MS
  // Only now, because nobody knows how long the rows took.
  for (const table of ['endpoint_sync', 'profile_sync'])
    await client.query(`update ${table} set next_run_at = next_run_at - $1 where next_run_at >= $2`, [
      FAR - startMs,
      FAR,
    ])
  await client.query(
    `create table bench_due as select shard, profile_id, endpoint, next_run_at as due_at from endpoint_sync
     where next_run_at between $1 and $2`,
    [startMs, startMs + INTERVAL_MS],
  )
  await client.query('vacuum analyze')
  await fixture.start()
  await sleep(Math.max(0, startMs - Date.now()))
  const [before, callsBefore] = [fixture.cpu(), await fixture.calls()]
  await sleep(MINUTES * 60_000)
  const [after, callsAfter, endMs] = [fixture.cpu(), await fixture.calls(), Date.now()]
  // Those that are due now are not late yet, and are waited for.
  const lag = await readLag(fixture, startMs, endMs)
  await fixture.stop()
  const calls = callsAfter - callsBefore
  const [ours, database] = [after.ours - before.ours, after.database - before.database]
  const wallMs = MINUTES * 60_000
  return {
    profiles: PROFILES,
    minutes: MINUTES,
    callsPerSecond: calls / (MINUTES * 60),
    cpu: { ours: ours / calls, database: database / calls },
    cores: { ours: ours / wallMs, database: database / wallMs },
    ...lag,
  }
}

/** From when a check was due to when its end was stored; for one that was not made, to the end of the run. */
async function readLag({ client }: CapacityFixture, startMs: number, endMs: number) {
  const { rows } = await client.query<{ due: number; made: number; p50: number; p99: number; max: number }>(
    `select count(*)::int as due, count(made_at)::int as made, percentile_cont(0.5) within group (order by lag)::float8 as p50,
       percentile_cont(0.99) within group (order by lag)::float8 as p99, max(lag)::float8 as max
     from (select e.last_run_at as made_at, greatest(0, coalesce(e.last_run_at, $2::bigint) - d.due_at) as lag
       from bench_due d join endpoint_sync e using (shard, profile_id, endpoint)
       where d.due_at between $1::bigint and $2::bigint) checks`,
    [startMs, endMs],
  )
  const { due, made, ...lagMs } = rows[0]!
  return { due, made, lagMs }
}
