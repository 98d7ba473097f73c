import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { EndpointProgress } from '#flows/sync/progress.ts'
import { pusher } from '../harness/push.ts'
import { until } from '../harness/until.ts'
import { type Receiver, startReceiver } from '../spec/push/receiver.ts'
import { type Order, pagesOf, type SyncHarness, startSyncHarness } from '../spec/sync/shop-fixture.ts'

const MB = 1024 * 1024
const TUNING = {
  times: { afterDeathMs: 200 },
  deliveryTimes: { firstWaitMs: 100 },
  workerLimits: { stallMs: 5000, memoryBytes: 300 * MB },
}

interface Shown {
  state: string
  worker_deaths?: number
  last_reason?: string
  last_error?: string
  rows: number
}

suite('worker processes', () => {
  let harness: SyncHarness
  let receiver: Receiver
  /** The records of each person's shop, by the person's token. */
  const categories = new Map<string, Order[]>()

  const stock = (person: string, texts: string[]) =>
    categories.set(
      `Bearer token-${person}`,
      texts.map((text, i) => ({ id: `${text}-${i}`, at: 1_700_000_000_000 + i, text })),
    )
  const progressOf = async (token: string) =>
    (await harness.ask('GET', '/profiles/shop/sync', token)).body as Record<string, EndpointProgress>
  const workerOf = (lane: string) => harness.tributary.workers().find((each) => each.lane === lane)!
  const deathsOf = (lane: string, reason: string) =>
    workerOf(lane).deaths.find((each) => each.reason === reason)?.count ?? 0
  const asApp = (method: string, path: string, body?: unknown) => pusher(harness, harness).request(method, path, body)
  /** Kills the worker of this lane, as soon as there is one. */
  const killWorker = async (lane: string) => {
    const { pid } = await until(
      `a worker of ${lane}`,
      async () => workerOf(lane),
      ({ pid: found }) => found !== undefined,
    )
    process.kill(pid!, 'SIGKILL')
    await until(
      `the end of a worker of ${lane}`,
      async () => workerOf(lane).pid,
      (now) => now !== pid,
    )
  }

  before(async () => {
    receiver = await startReceiver()
    harness = await startSyncHarness(
      { TRIBUTARY_CONNECTORS: join(import.meta.dirname, 'connectors') },
      { tuning: TUNING, workers: 'processes' },
    )
    harness.service.on('/orders', (asked) =>
      pagesOf(() => categories.get(asked.headers.authorization ?? '') ?? [])(asked),
    )
    harness.service.on('/notes', () => ({ body: { orders: [] } }))
  })
  after(async () => {
    await harness.stop()
    await receiver.close()
  })

  test('sign-in, sync and delivery work in separate processes', async () => {
    stock('ada', ['a book', 'a lamp'])
    const ada = await harness.connect('ada')
    await until(
      'the first sync',
      () => progressOf(ada.access_token),
      ({ orders }) => orders?.state === 'done',
    )
    const items = await harness.ask('GET', '/types/statuses', ada.access_token)
    assert.equal((items.body as unknown[]).length, 2)
    const pids = ['sync', 'tasks'].map((lane) => workerOf(lane).pid)
    assert.ok(pids.every((pid) => pid !== undefined && pid !== process.pid))
  })

  for (const [harm, reason] of [
    ['hang', 'stalled'],
    ['crash', 'crashed'],
    ['grow', 'memory'],
  ] as const) {
    test(`R09 a record that makes its worker ${harm} parks its endpoint after three deaths and affects no other work`, async () => {
      const neighbour = `neighbour-of-${harm}`
      stock(harm, ['fine', harm])
      stock(neighbour, ['fine'])
      const before = deathsOf('alone', reason)
      const bad = await harness.connect(harm)
      const good = await harness.connect(neighbour)
      const parked = await until(
        'the parking',
        () => progressOf(bad.access_token),
        ({ orders, notes }) => orders?.state === 'parked' && notes?.state === 'done',
      )
      assert.equal(parked['orders']!.worker_deaths, 3)
      assert.equal(parked['orders']!.last_reason, 'worker_died')
      assert.match(parked['orders']!.last_error!, new RegExp(`\\(${reason}\\)`))
      assert.equal(deathsOf('alone', reason) - before, 2, 'the last two deaths were its own')
      await until(
        'the neighbour',
        () => progressOf(good.access_token),
        ({ orders }) => orders?.state === 'done',
      )
      assert.equal((await fetch(`${harness.tributary.url}/healthz`)).status, 200)

      const { body } = await harness.tributary.admin('GET', `/admin/apps/${harness.clientId}/parked`)
      const listed = (body as { parked: { endpoint: string; last_error: string }[] }).parked
      assert.ok(listed.some(({ endpoint, last_error: error }) => endpoint === 'orders' && error.includes(reason)))
      const metrics = await (await fetch(`${harness.tributary.url}/metrics`)).text()
      assert.match(metrics, new RegExp(`tributary_worker_deaths_total\\{lane="alone",reason="${reason}"\\} `))
      assert.match(metrics, /tributary_parked_endpoints [1-9]/)

      // A requested sync leaves it parked; only `retry_parked` tries it again.
      await harness.ask('POST', '/profiles/shop/sync', bad.access_token)
      assert.equal((await progressOf(bad.access_token))['orders']!.state, 'parked')
      stock(harm, ['fine', 'mended'])
      await harness.ask('POST', '/profiles/shop/sync?retry_parked=true', bad.access_token)
      const mended = await until(
        'the sync after the repair',
        () => progressOf(bad.access_token),
        ({ orders }) => orders?.state === 'done',
      )
      assert.equal(mended['orders']!.worker_deaths, undefined)
      const stored = (await harness.ask('GET', '/types/statuses', bad.access_token)).body as { data: Order }[]
      assert.deepEqual(stored.map(({ data }) => data.text).toSorted(), ['fine', 'mended'])
    })
  }

  test('after a worker with many leased profiles is killed, all of them are synced', async () => {
    const people = Array.from({ length: 8 }, (_, i) => `many-${i}`)
    const gate = Promise.withResolvers<void>()
    harness.service.on('/orders', async (asked) => {
      await gate.promise
      return pagesOf(() => categories.get(asked.headers.authorization ?? '') ?? [])(asked)
    })
    const tokens: string[] = []
    for (const person of people) {
      stock(person, ['fine'])
      tokens.push((await harness.connect(person)).access_token)
    }
    await until(
      'several syncs at once',
      async () => workerOf('sync').held,
      (held) => held >= 3,
    )
    await killWorker('sync')
    gate.resolve()
    for (const token of tokens)
      await until(
        'a sync',
        () => progressOf(token),
        ({ orders }) => orders?.state === 'done',
      )
  })

  test('a destination that kills its workers is parked after three deaths, continues after resume, and loses nothing', async () => {
    stock('pushed', ['one', 'two', 'three'])
    receiver.response = () => 'hang'
    const made = await asApp('POST', '/push', { name: 'Ours', kind: 'webhook', url: receiver.url, filter: ['*'] })
    assert.equal(made.status, 201)
    const id = String(made.body['id'])
    const show = async () => (await asApp('GET', `/push/${id}`)).body as unknown as Shown
    const person = await harness.connect('pushed')
    await until(
      'the sync',
      () => progressOf(person.access_token),
      ({ orders }) => orders?.state === 'done',
    )
    for (const [deaths, lane] of [
      [1, 'deliver'],
      [2, 'alone'],
      [3, 'alone'],
    ] as const) {
      await until(
        `a delivery in ${lane}`,
        async () => workerOf(lane).held,
        (held) => held > 0,
      )
      await killWorker(lane)
      await until('the count', show, (shown) => shown.worker_deaths === deaths)
    }
    const parked = await show()
    assert.equal(parked.state, 'parked')
    assert.match(parked.last_error!, /^worker_died: /)
    // While it is parked, other destinations work, and testing it does not affect other requests.
    receiver.response = () => 200
    assert.equal((await asApp('POST', `/push/${id}/resume`)).status, 200)
    // The items of other people arrive as well, in any order.
    const hasArrived = (text: string) => receiver.changes().some(({ data }) => data?.['text'] === text)
    const shown = await until(
      'the delivery',
      show,
      ({ worker_deaths: deaths }) => deaths === undefined && ['one', 'two', 'three'].every(hasArrived),
    )
    assert.equal(shown.state, 'active')
  })

  test('a request whose worker dies fails with the reason, and the next one works', async (t) => {
    // A destination without deliveries.
    const tried = await startReceiver()
    t.after(() => tried.close())
    const arrived = new Promise<void>((resolve) => {
      tried.response = () => {
        resolve()
        return 'hang'
      }
    })
    const made = await asApp('POST', '/push', {
      name: 'Other',
      kind: 'webhook',
      url: tried.url,
      filter: ['/services/self/nothing'],
    })
    assert.equal(made.status, 201)
    const id = String(made.body['id'])
    const trying = asApp('POST', `/push/${id}/test`)
    await arrived
    await killWorker('tasks')
    const refused = await trying
    assert.equal(refused.status, 502)
    assert.match(JSON.stringify(refused.body), /destination_failed/)
    tried.response = () => 200
    const again = await asApp('POST', `/push/${id}/test`)
    assert.deepEqual([again.status, again.body['ok']], [200, true])
  })
})
