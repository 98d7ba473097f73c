import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { planSyncs } from '#flows/sync/plan/plan.ts'
import { prepareBareInserts } from './bare-inserts.ts'
import { median } from './load.ts'
import { makeRecords } from './read-records.ts'
import { openSyncFixture, type Pages, type SyncFixture } from './sync-fixture.ts'

const PAGE = 100
const ITEMS = Number(process.env['BENCH_SYNC_ITEMS'] ?? 5000)
const ROUNDS = 5
const PROFILES = Number(process.env['BENCH_PROFILES'] ?? 1_000_000)
const WALK = Number(process.env['BENCH_WALK'] ?? 100_000)

/** Ingesting items compared with bare inserts of the same rows into the same table; memory over a long walk; leasing due profiles. */
export async function benchSync(): Promise<void> {
  const fixture = await openSyncFixture()
  try {
    await benchIngest(fixture)
    await benchWalk(fixture)
    await benchLeases(fixture)
  } finally {
    await fixture.close()
  }
}

async function benchIngest(fixture: SyncFixture): Promise<void> {
  const rates = { bare: [] as number[], first: [] as number[], unchanged: [] as number[] }
  // Ratios are taken within a round, because the load of the machine changes more slowly than the rounds.
  const ratios = { first: [] as number[], unchanged: [] as number[] }
  const texts = pageTexts(ITEMS, 0)
  const edited = pageTexts(ITEMS, 1)
  for (let round = 0; round <= ROUNDS; round += 1) {
    const profile = await fixture.connect(`person-${round}`)
    const firstMs = await fixture.sync(profile, (page) => texts[page])
    const unchangedMs = await fixture.sync(profile, (page) => edited[page])
    const bareMs = await (await prepareBareInserts(fixture.client, profile))('bare')
    // The first round warms up caches and prepared statements.
    if (round === 0) continue
    rates.first.push(ITEMS / (firstMs / 1000))
    rates.unchanged.push(ITEMS / (unchangedMs / 1000))
    rates.bare.push(ITEMS / (bareMs / 1000))
    ratios.first.push(bareMs / firstMs)
    ratios.unchanged.push(firstMs / unchangedMs)
  }
  const [bare, first, unchanged] = [median(rates.bare), median(rates.first), median(rates.unchanged)]
  line('bare multi-row inserts', `${bare.toFixed(0)} items/s`)
  line('first load', `${first.toFixed(0)} items/s   ${median(ratios.first).toFixed(2)} of bare inserts (aim 0.50)`)
  line(
    '99 % unchanged',
    `${unchanged.toFixed(0)} items/s   ${median(ratios.unchanged).toFixed(1)} times the first load (aim 3.0)`,
  )
}

/** Pages of records; every hundredth record differs between versions. */
function pageTexts(count: number, version: number): string[] {
  const texts: string[] = []
  let page: object[] = []
  for (const { stream, record } of makeRecords(count * 2)) {
    if (texts.length * PAGE >= count) break
    if (stream !== 'feed' && stream !== 'posts' && stream !== 'photos') continue
    const i = texts.length * PAGE + page.length
    page.push(i % 100 === 0 ? { ...record, version } : record)
    if (page.length === PAGE) {
      texts.push(JSON.stringify({ data: page }))
      page = []
    }
  }
  return texts
}

async function benchWalk(fixture: SyncFixture): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const samples: { items: number; heap: number; rss: number }[] = []
  const [template] = pageTexts(PAGE, 0)
  const pages: Pages = (page) => {
    if ((page * PAGE) % (WALK / 10) === 0) {
      collect()
      const { heapUsed, rss } = process.memoryUsage()
      samples.push({ items: page * PAGE, heap: heapUsed / 2 ** 20, rss: rss / 2 ** 20 })
    }
    return page * PAGE >= WALK ? undefined : template!.replaceAll(/"id":"9(\d+)"/g, `"id":"8${page}x$1"`)
  }
  const profile = await fixture.connect('walker')
  const ms = await fixture.sync(profile, pages)
  const [early, late] = [samples[1]!, samples.at(-1)!]
  line(`a walk of ${WALK} items`, `${(WALK / (ms / 1000)).toFixed(0)} items/s`)
  line(
    'memory',
    `heap ${early.heap.toFixed(0)} MB after ${early.items}, ${late.heap.toFixed(0)} MB after ${late.items}; resident ${early.rss.toFixed(0)} and ${late.rss.toFixed(0)} MB`,
  )
}

async function benchLeases({ deps, client, appId }: SyncFixture): Promise<void> {
  await client.query(
    `insert into profile_sync (shard, profile_id, app_id, service, next_run_at, seq)
     select n % 1024, 'lease-' || n, $1, 'bench', case when n % 10 = 0 then n else 8e15::bigint + n end, 0 from generate_series(1, $2::int) n`,
    [appId, PROFILES],
  )
  await client.query('vacuum analyze profile_sync')
  let leased = 0
  const runs = { free: () => 100, isRunning: () => false, start: () => {} }
  const beganAt = performance.now()
  while (performance.now() - beganAt < 3000) {
    const count = await planSyncs(deps, runs)
    if (count === 0) break
    leased += count
  }
  const seconds = (performance.now() - beganAt) / 1000
  line(`leases at ${PROFILES} profiles`, `${(leased / seconds).toFixed(0)} profiles/s, a tenth of them due`)
  const emptyAt = performance.now()
  await client.query('update profile_sync set next_run_at = 8e15::bigint where next_run_at < 8e15::bigint')
  await client.query('vacuum profile_sync')
  const polls = 50
  const pollAt = performance.now()
  for (let i = 0; i < polls; i += 1) await planSyncs(deps, runs)
  line(
    'planning with nothing due',
    `${((performance.now() - pollAt) / polls).toFixed(2)} ms (after ${((pollAt - emptyAt) / 1000).toFixed(0)} s of preparation)`,
  )
}

function line(name: string, value: string): void {
  process.stdout.write(`${name.padEnd(28)} ${value}\n`)
}

if (import.meta.main) await benchSync()
