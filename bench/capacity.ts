import { connectors } from '#connectors/index.ts'
import { type MeasuredCosts, measureCosts } from './capacity-costs.ts'
import { measureEvents } from './capacity-events.ts'
import { openCapacityFixture } from './capacity-fixture.ts'
import { type CpuTime, checksPerDay, profilesPerCore, USABLE_SHARE, type Work } from './capacity-formula.ts'
import { type CapacityRun, runAtCapacity } from './capacity-run.ts'
import { median } from './load.ts'
import { withDatabase } from './own-database.ts'

const ONLY = process.env['BENCH_ONLY']
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A check that finds nothing makes the next interval longer, up to this. */
const QUIET_FACTOR = 16
/** Besides its checks, what a person causes in a day. */
const DAILY = { page: 0, item: 20, read: 10, row: 20 }

/** What checks, items, reads and deliveries cost, how many profiles a core serves, and a run with as many as a small machine should. */
export async function benchCapacity(): Promise<void> {
  const isWanted = (part: 'costs' | 'events' | 'run') => ONLY === undefined || ONLY === part
  if (isWanted('costs')) printCosts(await withDatabase((url) => withFixture((fixture) => measureCosts(fixture, url))))
  if (isWanted('events')) printEvents(await withFixture(measureEvents))
  if (isWanted('run')) printRun(await withFixture(runAtCapacity))
}

async function withFixture<Result>(
  work: (fixture: Awaited<ReturnType<typeof openCapacityFixture>>) => Promise<Result>,
): Promise<Result> {
  const fixture = await openCapacityFixture()
  try {
    return await work(fixture)
  } finally {
    await fixture.close()
  }
}

function printCosts(costs: MeasuredCosts): void {
  line('processor time of', 'our processes   the database')
  const show = (name: string, { ours, database }: CpuTime, unit: string) =>
    line(name, `${ours.toFixed(3).padStart(9)} ms   ${database.toFixed(3).padStart(9)} ms  ${unit}`)
  show('empty check', costs.check, 'three endpoints in a run (aim 2 and 1 ms)')
  show('empty check', costs.loneCheck, 'one endpoint in a run')
  show('unchanged page of 100', costs.page, 'on top of the check')
  show('new item', costs.item, 'on top of the check')
  show('read of 20 items', costs.read, '/types/photos')
  show('delivered row', costs.row, 'to PostgreSQL')
  show('a second without work', costs.idle, '')
  line('', '')
  line(`profiles per core (${USABLE_SHARE} of it used)`, 'our processes   the database')
  const people = (name: string, work: Work) => {
    const { ours, database } = profilesPerCore(costs, work)
    line(name, `${ours.toFixed(0).padStart(13)}   ${database.toFixed(0).padStart(12)}`)
  }
  const checks = (factor: number) =>
    median(connectors.map(({ endpoints }) => checksOf(Object.values(endpoints), factor)))
  people('three endpoints every 30 min', { check: 144, page: 0, item: 0, read: 0, row: 0 })
  people(`a typical service: ${checks(1).toFixed(0)} checks a day`, { check: checks(1), ...DAILY })
  people(`where little happens: ${checks(QUIET_FACTOR).toFixed(0)} checks`, { check: checks(QUIET_FACTOR), ...DAILY })
}

function printEvents(events: [name: string, cost: CpuTime][]): void {
  line('processor time of', 'our processes   the database')
  for (const [name, { ours, database }] of events)
    line(name, `${ours.toFixed(2).padStart(9)} ms   ${database.toFixed(2).padStart(9)} ms`)
}

/** Checks in a day at the connector's own intervals, or at `factor` times these, but at least one a day. */
function checksOf(endpoints: { everyMs: number }[], factor: number): number {
  return checksPerDay(endpoints.map(({ everyMs }) => Math.max(everyMs, Math.min(everyMs * factor, DAY_MS))))
}

function printRun(run: CapacityRun): void {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  line(`${run.profiles} profiles, ${run.minutes} min`, `${run.callsPerSecond.toFixed(0)} checks a second`)
  line('checks due, made', `${run.due}, ${run.made}`)
  line(
    'lag',
    `p50 ${seconds(run.lagMs.p50)}, p99 ${seconds(run.lagMs.p99)} (aim 60 s), longest ${seconds(run.lagMs.max)}`,
  )
  line('processor time for a check', `ours ${run.cpu.ours.toFixed(2)} ms, database ${run.cpu.database.toFixed(2)} ms`)
  line('cores busy', `ours ${run.cores.ours.toFixed(2)}, database ${run.cores.database.toFixed(2)}`)
}

function line(name: string, value: string): void {
  process.stdout.write(`${name.padEnd(44)} ${value}\n`)
}

if (import.meta.main) await benchCapacity()
