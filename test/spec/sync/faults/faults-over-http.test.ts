import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { tributary } from '../../../harness/command-line.ts'
import { type SyncHarness, startSyncHarness } from '../shop-fixture.ts'

interface Listed {
  profile: string
  service: string
  endpoint: string
}

suite('faults and quarantine over HTTP and by the CLI', () => {
  const PEOPLE = Array.from({ length: 11 }, (_, i) => `person-${i}`)
  let harness: SyncHarness
  let tokens: string[]
  before(async () => {
    harness = await startSyncHarness()
    // Twelve records with an invalid time, and twelve without an id.
    const orders = Array.from({ length: 12 }, (_, i) => [
      { id: `o${i}`, at: 1e300, text: 'late' },
      { text: `no id ${i}` },
    ])
    harness.service.on('/orders', ({ query }) => ({ body: { orders: query['page'] === '1' ? orders.flat() : [] } }))
    const connected = await Promise.all(PEOPLE.map((person) => harness.connect(person)))
    tokens = connected.map(({ access_token: token }) => token)
    for (const token of tokens) await harness.until(token, ({ state }) => state === 'done')
  })
  after(() => harness.stop())

  const admin = async <Body>(method: 'GET' | 'POST', path: string) => {
    const { status, body } = await harness.tributary.admin(method, `/admin/apps/${harness.clientId}/${path}`)
    return { status, body: body as Body }
  }
  /** All pages of a list. */
  const all = async <One extends Listed>(what: 'faults' | 'quarantine') => {
    const found: One[] = []
    const pages: number[] = []
    for (let query = ''; ; ) {
      const { status, body } = await admin<Record<string, One[]> & { next?: string }>('GET', `${what}${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      found.push(...body[what]!)
      pages.push(body[what]!.length)
      if (body.next === undefined) return { found, pages }
      query = `?after=${encodeURIComponent(body.next)}`
    }
  }

  test('the account sees how many and the newest', async () => {
    const { faults, quarantined, quarantine, items } = await harness.progress(tokens[0]!)
    assert.deepEqual([items, faults?.count, faults?.latest.length], [12, 12, 3])
    const { at, record, ...fault } = faults!.latest[0]!
    assert.deepEqual(fault, { field: 'at', message: 'RangeError: not a valid time', kind: 'order', times: 1 })
    assert.match(record, /^o\d+$/)
    assert.ok(at > 1_700_000_000_000)
    assert.deepEqual([quarantined, quarantine?.length], [12, 3])
    assert.equal(quarantine![0]!.reason, 'no usable id')
    assert.match(quarantine![0]!.sample, /^\{"text":"no id \d+"\}$/)
  })

  test('an operator lists both for the whole app, page by page, each once', async () => {
    const faults = await all<Listed & { field: string; record: string }>('faults')
    assert.deepEqual(faults.pages, [100, 10])
    assert.equal(new Set(faults.found.map(({ profile, record, field }) => `${profile} ${record} ${field}`)).size, 110)
    assert.ok(faults.found.every(({ service, endpoint }) => service === 'shop' && endpoint === 'orders'))
    const quarantine = await all<Listed & { id: string; reason: string }>('quarantine')
    assert.deepEqual(quarantine.pages, [100, 32])
    assert.equal(new Set(quarantine.found.map(({ profile, id }) => `${profile} ${id}`)).size, 132)
    for (const odd of ['x', '///', 'a/b/c/d/e', '%00'.repeat(3)]) {
      const { status } = await admin('GET', `faults?after=${odd}`)
      assert.ok(status === 200 || status === 400, `${odd}: ${status}`)
    }
  })

  test('both require the admin token', async () => {
    for (const [method, path] of [
      ['GET', 'faults'],
      ['GET', 'quarantine'],
      ['POST', 'quarantine/retry'],
    ] as const) {
      const response = await fetch(`${harness.tributary.url}/admin/apps/${harness.clientId}/${path}`, { method })
      assert.equal(response.status, 401)
    }
  })

  test('metrics count both by service and endpoint', async () => {
    const metrics = await (await fetch(`${harness.tributary.url}/metrics`)).text()
    assert.match(metrics, /^tributary_reader_faults\{service="shop",endpoint="orders"\} 132$/m)
    assert.match(metrics, /^tributary_quarantined_records\{service="shop",endpoint="orders"\} 132$/m)
  })

  test('an account retries its own; records that are still bad are counted', async () => {
    const { status } = await harness.ask('POST', '/profiles/shop/sync?retry_quarantined=true', tokens[1]!)
    assert.equal(status, 202)
    const { quarantined } = await harness.until(
      tokens[1]!,
      ({ quarantine, state }) => state === 'done' && (quarantine?.[0]?.times ?? 0) > 1,
    )
    assert.equal(quarantined, 12)
  })

  test('an operator retries all of them, by API and CLI', async () => {
    const { status, body } = await admin<{ endpoints: number }>('POST', 'quarantine/retry')
    assert.deepEqual([status, body], [202, { endpoints: 11 }])
    await harness.until(tokens[2]!, ({ quarantine }) => (quarantine?.[0]?.times ?? 0) > 1)
    const unknown = await harness.tributary.admin('POST', '/admin/apps/nobody/quarantine/retry')
    assert.equal(unknown.status, 404)

    const env = { DATABASE_URL: harness.tributary.databaseUrl, TRIBUTARY_DATA: harness.tributary.dataDir }
    const cli = async (...args: string[]) =>
      JSON.parse((await tributary([...args, harness.clientId, '--json'], env)).stdout) as unknown
    assert.equal(((await cli('faults')) as unknown[]).length, 110)
    assert.equal(((await cli('quarantine')) as unknown[]).length, 132)
    assert.deepEqual(await cli('quarantine', '--retry'), { endpoints: 11 })
    const { stdout } = await tributary(['quarantine', harness.clientId], env)
    assert.match(stdout, /no usable id +\d+ +\{"text":"no id/)
  })
})
