import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { after, before, suite, test } from 'node:test'
import { send } from '../../harness/send.ts'
import { comparer, type WholeCost } from './compare.ts'
import { type CostHarness, startCostHarness } from './fixture.ts'
import { PROXIED } from './table.ts'

const { assertCost, assertAll } = comparer(PROXIED)
const MANY = 16
const LARGE = 'x'.repeat(257 * 1024)

let harness: CostHarness
let token: string
let proxyToken: string
before(async () => {
  harness = await startCostHarness()
  token = (await harness.connectShop('ada')).access_token
  const limits = { service: 'shop', methods: ['GET', 'POST'], paths: ['/echo'] }
  const made = await send(harness, 'POST', '/proxy-tokens', { token, json: limits })
  proxyToken = (JSON.parse(made.text) as { token: string }).token
  harness.shop.on('/echo', () => ({ body: { ok: true } }))
})
after(() => harness.stop())

const call = async (method: string, profile = 'shop', body?: string, by = token) => {
  const sent = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }
  const { status, text } = await send(harness, method, `/proxy/${profile}/echo`, { token: by, ...sent })
  assert.equal(status, 200, text)
}
const cold = (work: () => Promise<void>) => async () => {
  harness.cool()
  await work()
}

/** Calls that have all arrived before the first of them is answered by the database. */
async function atOnce(work: () => Promise<void>): Promise<void> {
  const { promise: arrived, resolve } = Promise.withResolvers<void>()
  let count = 0
  const onRequest = (message: unknown) => {
    if (!(message as { request: { url?: string } }).request.url?.startsWith('/proxy/')) return
    count += 1
    if (count === MANY) resolve()
  }
  subscribe('http.server.request.start', onRequest)
  const goOn = harness.counter.inRounds(arrived)
  try {
    await Promise.all(Array.from({ length: MANY }, work))
  } finally {
    goOn()
    unsubscribe('http.server.request.start', onRequest)
  }
}

/** A grant of the rate limiter is for some hundred calls; which of them renews it depends on all calls before. */
function withoutGrant({ statements, roundTrips, ...cost }: WholeCost): WholeCost {
  const { 'rate-limit-take': taken = 0, ...others } = statements
  return { ...cost, statements: others, roundTrips: roundTrips - taken }
}

suite('a proxied call', () => {
  const operations: Record<string, () => Promise<void>> = {
    'GET by service': () => call('GET'),
    'GET by id@service': () => call('GET', 'ada@shop'),
    'POST by service': () => call('POST', 'shop', '{}'),
    'POST by id@service': () => call('POST', 'ada@shop', '{}'),
    'POST by service, over 256 KB': () => call('POST', 'shop', LARGE),
    'POST by service, 16 at once': () => atOnce(() => call('POST', 'shop', '{}')),
    'GET by service, cold': cold(() => call('GET')),
    'GET by id@service, cold': cold(() => call('GET', 'ada@shop')),
    'POST by service, cold': cold(() => call('POST', 'shop', '{}')),
    'GET with a proxy token': () => call('GET', 'shop', undefined, proxyToken),
    'POST with a proxy token': () => call('POST', 'shop', '{}', proxyToken),
    'GET with a proxy token, cold': cold(() => call('GET', 'shop', undefined, proxyToken)),
    'GET by service, cold, 16 at once': cold(() => atOnce(() => call('GET'))),
  }
  for (const [name, work] of Object.entries(operations))
    test(name, async () => {
      const cost = await harness.warm(work)
      assertCost(`proxied ${name}`, name === 'POST by service, 16 at once' ? withoutGrant(cost) : cost)
    })
})

test('every row of the table was counted', assertAll)
