import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { orders, pagesOf, type SyncHouse, startSyncHouse } from '../spec/sync/shop-fixture.ts'
import {
  type HostileResponse,
  type HostileService,
  hostileResponse,
  startHostileService,
} from './servers/http-service.ts'

const CASES = Number(process.env['HOSTILE_CASES'] ?? 24)
const SEED = Number(process.env['HOSTILE_SEED'] ?? 4711)
/** People of one batch are synced at the same time. */
const BATCH = 12

suite('a hostile service beside a healthy tenant', () => {
  let house: SyncHouse
  let service: HostileService
  const responses = new Map<string, HostileResponse>()
  before(async () => {
    service = await startHostileService(responses)
    house = await startSyncHouse({}, { workers: 'processes', tuning: { times: { hiccupMs: 10 } } })
  })
  after(async () => {
    await house.stop()
    await service.close()
  })

  const newApp = async (name: string) => {
    const made = await house.tributary.admin('POST', '/admin/apps', { name, redirect_uris: ['https://app.test/'] })
    const { client_id: clientId, client_secret: secret } = made.body as { client_id: string; client_secret: string }
    await house.tributary.admin('PUT', `/admin/apps/${clientId}/keys/shop`, {
      key: 'key',
      secret: 'secret',
      overrides: { base_url: service.url },
    })
    return { clientId, secret }
  }
  // An app for each: a 429 pauses everybody of an app, as it should.
  const connect = async (person: string) => {
    const { clientId, secret } = await newApp(person)
    const response = await fetch(`${house.tributary.url}/auth/shop/apply`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: clientId, client_secret: secret, token: `token-${person}` }),
    })
    assert.equal(response.status, 200, await response.text())
  }

  test('S46 S47 S48 S60 whatever it sends, the server answers, others are synced, and no worker dies', async (t) => {
    let stock = orders(5)
    house.service.on(
      '/orders',
      pagesOf(() => stock),
    )
    const healthy = await house.connect('healthy')
    await house.until(healthy.access_token, ({ state }) => state === 'done')
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const cases = fc.sample(hostileResponse, { numRuns: CASES, seed: SEED })
    for (let at = 0; at < cases.length; at += BATCH) {
      const people = cases.slice(at, at + BATCH).map((response, i) => {
        const person = `case-${at + i}`
        responses.set(person, response)
        return person
      })
      for (const person of people) await connect(person)
      for (const person of people)
        for (const endMs = performance.now() + 60_000; service.sentTo(person) === 0; await sleep(20))
          assert.ok(performance.now() < endMs, `${person} was never synced (seed ${SEED})`)
      // A whole sync of the healthy tenant, with a new order, after all that.
      stock = [{ id: `new-${at}`, at: 1_700_000_000_001 + at, text: 'new' }, ...stock]
      await house.ask('POST', '/profiles/shop/sync', healthy.access_token)
      await house.until(healthy.access_token, ({ state, items }) => state === 'done' && items === stock.length)
    }
    delay.disable()
    const read = (await house.ask('GET', '/types/statuses?limit=100', healthy.access_token)).body as {
      data: { id: string }
    }[]
    assert.equal(read.length, Math.min(100, stock.length))
    const died = house.tributary.workers().flatMap(({ lane, deaths }) => deaths.map((death) => ({ lane, ...death })))
    assert.deepEqual(died, [], `seed ${SEED}`)
    assert.equal(({} as { polluted?: boolean }).polluted, undefined)
    t.diagnostic(
      `${cases.length} cases, seed ${SEED}: longest stall of the request loop ${Math.round(delay.max / 1e6)} ms`,
    )
  })
})
