import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { after, before, suite, test } from 'node:test'
import fc from 'fast-check'
import { makeApp } from '../harness/app.ts'
import { connect } from '../harness/connect.ts'
import { cases } from '../harness/effort.ts'
import { until } from '../harness/until.ts'
import { orders, pagesOf, type SyncHarness, startSyncHarness } from '../spec/sync/shop-fixture.ts'
import {
  type HostileResponse,
  type HostileService,
  hostileResponse,
  startHostileService,
} from './servers/http-service.ts'

const CASES = cases(24, 'HOSTILE_CASES')
const SEED = Number(process.env['HOSTILE_SEED'] ?? 4711)
/** People of one batch are synced concurrently. */
const BATCH = 12

suite('a hostile service beside a healthy tenant', () => {
  let harness: SyncHarness
  let service: HostileService
  const responses = new Map<string, HostileResponse>()
  before(async () => {
    service = await startHostileService(responses)
    harness = await startSyncHarness({}, { workers: 'processes', tuning: { times: { transientRetryMs: 10 } } })
  })
  after(async () => {
    await harness.stop()
    await service.close()
  })

  // One app per case, because a 429 pauses all people of an app.
  const connectAlone = async (person: string) => {
    const keys = { shop: { key: 'key', secret: 'secret', overrides: { base_url: service.url } } }
    const app = await makeApp(harness.tributary, { name: person, keys })
    await connect(harness, app, 'shop', { token: `token-${person}` })
  }

  test('S46 S47 S48 S60 whatever it sends, requests are served, others are synced, and no worker dies', async (t) => {
    let stock = orders(5)
    harness.service.on(
      '/orders',
      pagesOf(() => stock),
    )
    const healthy = await harness.connect('healthy')
    await harness.until(healthy.access_token, ({ state }) => state === 'done')
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const sample = fc.sample(hostileResponse, { numRuns: CASES, seed: SEED })
    for (let at = 0; at < sample.length; at += BATCH) {
      const people = sample.slice(at, at + BATCH).map((response, i) => {
        const person = `case-${at + i}`
        responses.set(person, response)
        return person
      })
      for (const person of people) await connectAlone(person)
      for (const person of people) await until(`${person} is synced (seed ${SEED})`, () => service.sentTo(person) > 0)
      // Afterwards the healthy tenant is synced completely, with a new order.
      stock = [{ id: `new-${at}`, at: 1_700_000_000_001 + at, text: 'new' }, ...stock]
      await harness.ask('POST', '/profiles/shop/sync', healthy.access_token)
      await harness.until(healthy.access_token, ({ state, items }) => state === 'done' && items === stock.length)
    }
    delay.disable()
    const read = (await harness.ask('GET', '/types/statuses?limit=100', healthy.access_token)).body as {
      data: { id: string }
    }[]
    assert.equal(read.length, Math.min(100, stock.length))
    const died = harness.tributary.workers().flatMap(({ lane, deaths }) => deaths.map((death) => ({ lane, ...death })))
    assert.deepEqual(died, [], `seed ${SEED}`)
    assert.equal(({} as { polluted?: boolean }).polluted, undefined)
    t.diagnostic(
      `${sample.length} cases, seed ${SEED}: longest stall of the request loop ${Math.round(delay.max / 1e6)} ms`,
    )
  })
})
