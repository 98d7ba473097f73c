import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import type { CapacityFixture } from './capacity-fixture.ts'
import type { Costs, CpuTime } from './capacity-formula.ts'
import { ENDPOINTS, FAR, type SeededProfile } from './capacity-seed.ts'

/** Profiles whose checks find nothing; the other parts use a fraction of it. */
const CHECKED = Number(process.env['BENCH_CHECKED'] ?? 2000)
const READS = CHECKED
const PAGE = 100
/** The checks are due this long after they are scheduled, so that scheduling them is not measured. */
const LEAD_MS = 3000

export interface MeasuredCosts extends Costs {
  /** A check in a run that reads no other endpoint of its profile. */
  loneCheck: CpuTime
  /** In each second without any work. */
  idle: CpuTime
}

/** What each piece of work costs: everything that is spent while many of them are done, planning and jobs included. */
export async function measureCosts(fixture: CapacityFixture, destinationUrl: string): Promise<MeasuredCosts> {
  const seed = (mode: 'empty' | 'same' | 'fresh', count: number) =>
    fixture.seed({ mode, count: Math.max(10, Math.round(count)), dueAt: () => FAR })
  const empty = await seed('empty', CHECKED)
  const same = await seed('same', CHECKED / 10)
  const fresh = await seed('fresh', CHECKED / 20)
  await fixture.start()
  // The first round warms up caches and prepared statements, and stores what is unchanged afterwards.
  for (const profiles of [empty, same, fresh]) await checkAll(fixture, profiles, ENDPOINTS)
  const check = await checkAll(fixture, empty, ENDPOINTS)
  const loneCheck = await checkAll(fixture, empty, ENDPOINTS.slice(0, 1))
  const page = minus(await checkAll(fixture, same, ENDPOINTS), check)
  const item = times(minus(await checkAll(fixture, fresh, ENDPOINTS), check), 1 / PAGE)
  const read = await measureReads(fixture, same[0]!)
  const row = await measureDelivery(fixture, destinationUrl)
  const idleS = 10
  const idle = await measure(fixture, idleS, () => sleep(idleS * 1000))
  await fixture.stop()
  return { check, loneCheck, page, item, read, row, idle }
}

async function measure(fixture: CapacityFixture, count: number, work: () => Promise<unknown>): Promise<CpuTime> {
  const before = fixture.cpu()
  await work()
  return times(minus(fixture.cpu(), before), 1 / count)
}

const minus = (one: CpuTime, other: CpuTime): CpuTime => ({
  ours: one.ours - other.ours,
  database: one.database - other.database,
})
const times = ({ ours, database }: CpuTime, factor: number): CpuTime => ({
  ours: ours * factor,
  database: database * factor,
})

/** Has endpoints of all these profiles checked once; the cost of one check. */
async function checkAll(fixture: CapacityFixture, profiles: SeededProfile[], endpoints: string[]): Promise<CpuTime> {
  const { client } = fixture
  const ids = profiles.map(({ id }) => id)
  const checks = ids.length * endpoints.length
  const dueAt = Date.now() + LEAD_MS
  await client.query('update endpoint_sync set next_run_at = $3 where profile_id = any($1) and endpoint = any($2)', [
    ids,
    endpoints,
    dueAt,
  ])
  await client.query('update profile_sync set next_run_at = $2 where profile_id = any($1)', [ids, dueAt])
  const expected = (await fixture.calls()) + checks
  await sleep(Math.max(0, dueAt - 500 - Date.now()))
  const cost = await measure(fixture, checks, async () => {
    while ((await fixture.calls()) < expected) await sleep(50)
    while (await isBusy(fixture)) await sleep(200)
  })
  return cost
}

async function isBusy({ client }: CapacityFixture): Promise<boolean> {
  return (await client.query('select 1 from profile_sync where lease_token is not null limit 1')).rowCount! > 0
}

async function measureReads(fixture: CapacityFixture, profile: SeededProfile): Promise<CpuTime> {
  const headers = { authorization: `Bearer ${await fixture.newToken(profile)}` }
  const pool = new Pool(fixture.url(), { connections: 4, pipelining: 1 })
  const read = async (count: number) => {
    for (let i = 0; i < count; i += 1) {
      const { statusCode, body } = await pool.request({ path: '/types/photos?limit=20', method: 'GET', headers })
      const items = (await body.json()) as unknown[]
      if (statusCode !== 200 || items.length !== 20)
        throw new Error(`A read responded with ${statusCode} and ${items.length} items`)
    }
  }
  await read(200)
  const cost = await measure(fixture, READS, () => Promise.all(Array.from({ length: 4 }, () => read(READS / 4))))
  await pool.close()
  return cost
}

/** Delivers everything that was stored to a database on another server. */
async function measureDelivery(fixture: CapacityFixture, destinationUrl: string): Promise<CpuTime> {
  const { client } = fixture
  const { rows } = await client.query<{ n: number }>('select count(*)::int as n from item')
  return measure(fixture, rows[0]!.n, async () => {
    await fixture.deliverTo(destinationUrl)
    while (await isBehind(fixture)) await sleep(500)
  })
}

async function isBehind({ client }: CapacityFixture): Promise<boolean> {
  const failed = await client.query<{ last_error: string }>(
    `select last_error from destination where state <> 'active'`,
  )
  if (failed.rows[0] !== undefined) throw new Error(failed.rows[0].last_error)
  const open = 'select 1 from delivery_cursor where due_at is not null or revision > acked_revision limit 1'
  return (await client.query(open)).rowCount! > 0
}
