import { join } from 'node:path'
import { type Order, pagesOf, startSyncHarness } from '../test/spec/sync/shop-fixture.ts'
import { type Figures, load, median } from './load.ts'

const ROUND_MS = Number(process.env['BENCH_MS'] ?? 4000)
const ROUNDS = 5
const CONNECTIONS = 4
const PHOTOS = 2000
const MB = 1024 * 1024

/** Reads of one app while records of another make workers hang, crash and exhaust memory, compared with the same reads without. */
export async function benchHostile(): Promise<void> {
  const harness = await startSyncHarness(
    { TRIBUTARY_CONNECTORS: join(import.meta.dirname, '../test/hostile/connectors') },
    {
      tuning: { times: { afterDeathMs: 200 }, workerLimits: { stallMs: 3000, memoryBytes: 300 * MB } },
      workers: 'processes',
    },
  )
  const ordersByToken = new Map<string, Order[]>()
  const deaths = () =>
    harness.tributary
      .workers()
      .flatMap((each) => each.deaths)
      .reduce((sum, { count }) => sum + count, 0)
  harness.service.on('/orders', (request) =>
    pagesOf(() => ordersByToken.get(request.headers.authorization ?? '') ?? [])(request),
  )
  harness.service.on('/notes', () => ({ body: { orders: [] } }))
  try {
    const reader = await harness.connect('reader')
    for (let at = 0; at < PHOTOS; at += 500) await storePhotos(harness.tributary.url, reader.access_token, at)
    const headers = { authorization: `Bearer ${reader.access_token}` }
    const round = () =>
      load(`${harness.tributary.url}/types/photos?limit=20`, { connections: CONNECTIONS, ms: ROUND_MS, headers })
    await round()
    const [calm, disturbed]: [Figures[], Figures[]] = [[], []]
    for (let i = 0; i < ROUNDS; i += 1) {
      calm.push(await round())
      for (const harm of ['hang', 'crash', 'grow']) {
        const person = `${harm}-${i}`
        ordersByToken.set(`Bearer token-${person}`, [{ id: harm, at: 1_700_000_000_000, text: harm }])
        await harness.connect(person)
      }
      disturbed.push(await round())
    }
    const p99 = (figures: Figures[]) => median(figures.map(({ p99Ms }) => p99Ms))
    const ratio = median(disturbed.map(({ p99Ms }, i) => p99Ms / calm[i]!.p99Ms))
    process.stdout.write(
      `p99 of /types/photos ${p99(calm).toFixed(1)} ms; with records that hang, crash and exhaust workers ${p99(disturbed).toFixed(1)} ms, ` +
        `${ratio.toFixed(2)} times (aim 2); ${deaths()} workers died\n`,
    )
  } finally {
    await harness.stop()
  }
}

async function storePhotos(url: string, token: string, from: number): Promise<void> {
  const photos = Array.from({ length: 500 }, (_, i) => ({
    id: `photo-${from + i}`,
    at: 1_700_000_000_000 + from + i,
    type: 'photo',
    title: `Photo ${from + i}`,
  }))
  const response = await fetch(`${url}/services/self/album`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(photos),
  })
  if (response.status !== 200) throw new Error(`Storing photos failed: ${await response.text()}`)
  await response.body?.cancel()
}
