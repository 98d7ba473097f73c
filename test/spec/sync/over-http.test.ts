import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { tributary } from '../../harness/command-line.ts'
import { gate } from './scripted-service.ts'
import { orders, pagesOf, SECRET, type SyncHarness, startSyncHarness } from './shop-fixture.ts'

suite('syncs over HTTP', () => {
  let harness: SyncHarness
  before(async () => {
    harness = await startSyncHarness()
  })
  after(() => harness.stop())

  test('the newest items can be read during the first sync, and its progress is streamed to its end', async () => {
    const pageGate = gate()
    harness.service.on('/orders', async (request) => {
      if (request.query['page'] === '3') await pageGate.opened
      return pagesOf(() => orders(45))(request)
    })
    const { access_token: token } = await harness.connect('ada')
    const running = await harness.until(token, ({ items }) => items === 20)
    assert.equal(running.state, 'running')
    assert.ok(running.progress > 0 && running.progress < 1)
    const { body } = await harness.ask('GET', '/services/shop/orders?limit=3', token)
    assert.deepEqual(
      (body as { data: { id: string } }[]).map(({ data }) => data.id),
      ['o0', 'o1', 'o2'],
    )
    const events = await fetch(`${harness.tributary.url}/profiles/shop/sync?access_token=${token}`, {
      headers: { accept: 'text/event-stream' },
    })
    assert.match(events.headers.get('content-type')!, /^text\/event-stream/)
    assert.equal(events.headers.get('cache-control'), 'no-store')
    const reader = events.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = (await reader.read()).value ?? ''
    assert.match(text, /event: progress\ndata: \{"orders":\{"state":"running"/)
    pageGate.open()
    for (;;) {
      const { value, done } = await reader.read()
      if (done) break
      text += value
    }
    const last = text.trim().split('\n\n').at(-1)!
    assert.match(last, /event: done\ndata: \{"orders":\{"state":"done","progress":1,"items":45/)
    const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
    assert.deepEqual(
      ids,
      ids.map((_, i) => i + 1),
    )
  })

  test('a client that disconnects ends the progress stream', async () => {
    const pageGate = gate()
    harness.service.on('/orders', async (request) => {
      if (request.query['page'] === '2') await pageGate.opened
      return pagesOf(() => orders(15))(request)
    })
    const { access_token: token } = await harness.connect('leaver')
    await harness.until(token, ({ items }) => items === 10)
    // Observes only: the stream releases its access when it ends.
    const { access } = harness.tributary.store
    const follow = access.follow.bind(access)
    const ended = Promise.withResolvers<void>()
    access.follow = (grant, onEnd) => {
      const release = follow(grant, onEnd)
      return () => {
        release()
        if (grant.token !== undefined) ended.resolve()
      }
    }
    const leaving = new AbortController()
    const events = await fetch(`${harness.tributary.url}/profiles/shop/sync?access_token=${token}`, {
      headers: { accept: 'text/event-stream' },
      signal: leaving.signal,
    })
    await events.body!.getReader().read()
    leaving.abort()
    await ended.promise
    access.follow = follow
    pageGate.open()
    await harness.until(token, ({ state }) => state === 'done')
  })

  test('HEAD returns at once also where GET would follow the sync', async () => {
    harness.service.on(
      '/orders',
      pagesOf(() => orders(3)),
    )
    const { access_token: token } = await harness.connect('eve')
    const response = await fetch(`${harness.tributary.url}/profiles/shop/sync?access_token=${token}`, {
      method: 'HEAD',
      headers: { accept: 'text/event-stream' },
    })
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'application/json; charset=utf-8'])
    assert.equal(await response.text(), '')
  })

  test('counts with rich=true say when each endpoint was synced last', async () => {
    harness.service.on(
      '/orders',
      pagesOf(() => orders(3)),
    )
    const { access_token: token } = await harness.connect('finn')
    const { last_run: lastRun } = await harness.until(token, ({ state }) => state === 'done')
    const { body } = await harness.ask('GET', '/services/shop?rich=true', token)
    const counted = (body as Record<string, { count: number; last_sync?: number }>)['orders']
    assert.deepEqual([counted?.count, counted?.last_sync], [3, lastRun])
    assert.ok(lastRun! > 0)
  })

  test('POST sync runs now; suspected deletes are kept until confirm_deletes', async () => {
    let list = orders(30)
    harness.service.on(
      '/orders',
      pagesOf(() => list),
    )
    const { access_token: token } = await harness.connect('ben')
    await harness.until(token, ({ state }) => state === 'done')
    list = orders(5)
    assert.equal((await harness.ask('POST', '/profiles/shop/sync', token)).status, 202)
    const suspected = await harness.until(token, ({ suspect_deletes: count }) => count !== undefined)
    assert.deepEqual([suspected.suspect_deletes, suspected.items], [25, 30])
    assert.equal((await harness.ask('POST', '/profiles/shop/sync?confirm_deletes=perhaps', token)).status, 400)
    assert.equal((await harness.ask('POST', '/profiles/shop/sync?confirm_deletes=true', token)).status, 202)
    const settled = await harness.until(token, ({ items }) => items === 5)
    assert.equal(settled.suspect_deletes, undefined)
    assert.equal(((await harness.ask('GET', '/services/shop/orders', token)).body as unknown[]).length, 5)
  })

  test('a service verifies the address of its hook, then reports changes: only its own signature makes a sync due', async () => {
    let list = orders(3)
    harness.service.on(
      '/orders',
      pagesOf(() => list),
    )
    const { access_token: token } = await harness.connect('dora')
    await harness.until(token, ({ state }) => state === 'done')
    const hook = `${harness.tributary.url}/hooks/shop/${harness.clientId}`
    const verify = (secret: string) =>
      fetch(`${hook}?hub.mode=subscribe&hub.challenge=c4%2Dx&hub.verify_token=${secret}`)
    const response = await verify(SECRET)
    assert.deepEqual([response.status, await response.text()], [200, 'c4-x'])
    assert.equal((await verify('wrong')).status, 401)

    const body = JSON.stringify({ people: ['dora', 'nobody'] })
    const report = (signature: string, address = hook, text = body) =>
      fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-shop-signature': signature },
        body: text,
      })
    const signed = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`
    list = orders(4)
    for (const refused of [await report('sha256=00'), await report(signed, hook, `${body} `), await report('')])
      assert.equal(refused.status, 401)
    assert.equal((await report(signed, `${harness.tributary.url}/hooks/shop/app_nobody`)).status, 404)
    assert.equal((await report(signed, `${harness.tributary.url}/hooks/nothing/${harness.clientId}`)).status, 404)
    await harness.idle()
    assert.equal((await harness.progress(token)).items, 3)
    const accepted = await report(signed)
    assert.deepEqual([accepted.status, await accepted.json()], [200, { woken: 1 }])
    await harness.until(token, ({ items }) => items === 4)
  })

  test('the operator sets and reads the app’s rules', async () => {
    const path = `/admin/apps/${harness.clientId}/sync`
    const rules = { off: ['social'], pace: { 'shop/orders': '0 6 * * * Europe/Berlin' } }
    assert.deepEqual((await harness.tributary.admin('PUT', path, rules)).body, rules)
    assert.deepEqual((await harness.tributary.admin('GET', path)).body, rules)
    const refused = await harness.tributary.admin('PUT', path, { pace: { 'shop/nothing': '5m' } })
    assert.equal(refused.status, 400)
    assert.equal((await harness.tributary.admin('PUT', path, {})).status, 200)
  })

  test('tributary sync: status, follow, reset, confirm-deletes', async () => {
    let list = orders(25)
    harness.service.on(
      '/orders',
      pagesOf(() => list),
    )
    const { access_token: token, account } = await harness.connect('carl')
    await harness.until(token, ({ state }) => state === 'done')
    const env = { DATABASE_URL: harness.tributary.databaseUrl, TRIBUTARY_DATA: harness.tributary.dataDir }
    const run = async (...options: string[]) => {
      const ended = await tributary(['sync', account, 'shop', ...options], env)
      assert.equal(ended.code, 0, ended.stderr)
      return ended
    }
    const calls = harness.service.requestsTo('/orders').length
    const status = JSON.parse((await run('--status', '--json')).stdout) as Record<
      string,
      { state: string; items: number }
    >
    assert.deepEqual([status['orders']!.state, status['orders']!.items], ['done', 25])
    assert.equal(harness.service.requestsTo('/orders').length, calls)

    const seqs = () =>
      harness.sql<{ seq: string }>(
        "select min(seq) as seq from item where data->>'id' = 'o0' and profile_id = (select id from profile where native_id = 'carl')",
      )
    const [before] = await seqs()
    const reset = await run('--reset', '--follow')
    assert.match(reset.stdout, /orders\s+done\s+25/)
    assert.ok(Number((await seqs())[0]!.seq) > Number(before!.seq))

    list = orders(2)
    assert.match((await run('--follow')).stdout, /orders\s+done\s+25/)
    assert.equal((await harness.progress(token)).suspect_deletes, 23)
    assert.match((await run('--follow', '--confirm-deletes')).stdout, /orders\s+done\s+2\s/)
    const unknown = await tributary(['sync', account, 'nothing'], env)
    assert.notEqual(unknown.code, 0)
  })
})
