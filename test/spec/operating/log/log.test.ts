import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { basic } from '../../../harness/app.ts'
import { type LabHarness, startLabHarness } from '../../../harness/lab.ts'
import { purgeExpired } from '../../../harness/maintenance.ts'
import { pusher } from '../../../harness/push.ts'
import { get, send } from '../../../harness/send.ts'
import { type Granted, newBrowser, newCode, redeemed, signIn, startUrl } from '../../../harness/sign-in.ts'
import { synced } from '../../../harness/sync.ts'
import { until } from '../../../harness/until.ts'
import { startReceiver } from '../../push/receiver.ts'
import { allWritten, inspected, logged, readLog } from './log-reading.ts'

const DAY_MS = 86_400_000
const SERVICE = 'demo-social'

let harness: LabHarness
let ada: Granted
before(async () => {
  harness = await startLabHarness()
  ada = await signIn(harness, SERVICE, 'ada')
  await synced(harness, ada.access_token, SERVICE)
})
after(() => harness.stop())
const clientId = () => harness.app.clientId
const requestSync = () =>
  send(harness, 'POST', `/profiles/${SERVICE}/sync`, { headers: { authorization: `Bearer ${ada.access_token}` } })
const entries = async (query: Record<string, string> = {}) => (await readLog(harness, clientId(), query)).operations

suite('a sync in the log', () => {
  test('is logged with what it found at each endpoint, if it is the first', async () => {
    // A first sync may take several runs, each with an entry.
    const operation = await until('the run that read the posts is logged', async () => {
      const all = await entries({ kind: 'sync', q: 'first sync' })
      const details = await Promise.all(all.map(({ id }) => inspected(harness, clientId(), id)))
      return details.find(({ steps }) =>
        steps.some(({ name, detail }) => name === 'posts' && Number(detail['new']) > 0),
      )
    })
    assert.equal(operation.outcome, 'ok')
    assert.equal(operation.account, ada.account)
    const posts = operation.steps.find(({ name }) => name === 'posts')
    assert.ok(posts !== undefined && Number(posts.detail['pages']) > 0)
    assert.deepEqual([posts.detail['changed'], posts.detail['deleted']], [0, 0])
  })

  test('is logged if it was requested, and not if it was only due and found nothing', async () => {
    await harness.tributary.idle('syncs')
    await allWritten(harness, harness.app)
    const before = (await entries({ kind: 'sync', limit: '200' })).length
    const { last_run: lastRun = 0 } = (await synced(harness, ada.access_token, SERVICE))['posts']!
    await harness.sql('update endpoint_sync set next_run_at = 1')
    await harness.sql('update profile_sync set next_run_at = 1')
    await synced(harness, ada.access_token, SERVICE, { endpoints: ['posts'], afterMs: lastRun })
    await harness.tributary.idle('syncs')
    await requestSync()
    await logged(harness, clientId(), { kind: 'sync', q: 'requested sync: 0 new, 0 changed, 0 deleted' })
    // Entries are written in their order, so the due one is not on its way any more.
    assert.equal((await entries({ kind: 'sync', limit: '200' })).length, before + 1)
  })

  test('is logged if it failed, with the reason, the status and the retries', async () => {
    const { faults } = harness.lab.services[SERVICE]
    faults.add({ path: '/api/me/posts', kind: 'status', status: 500, times: 0 })
    await requestSync()
    const operation = await logged(harness, clientId(), { kind: 'sync', outcome: 'failed' })
    faults.clear()
    assert.equal(operation.reason, 'service_failed')
    const posts = operation.steps.find(({ name }) => name === 'posts')
    assert.equal(posts?.outcome, 'failed')
    assert.equal(posts.detail['status'], 500)
    assert.equal(posts.detail['retries'], 2)
  })
})

suite('proxied calls and deliveries in the log', () => {
  test('a call is shown from the call log', async () => {
    const path = `/proxy/${SERVICE}/me?secret=in-the-query`
    const { status, headers } = await get(harness, path, ada.access_token)
    assert.equal(status, 200)
    const operation = await logged(harness, clientId(), { kind: 'proxy', outcome: 'ok' })
    assert.equal(operation.request_id, headers.get('x-request-id'))
    assert.equal(operation.summary, 'GET /me → 200')
    assert.deepEqual([operation.account, operation.service], [ada.account, SERVICE])
    assert.equal(operation.steps[0]?.detail['status'], 200)
    await get(harness, `/proxy/${SERVICE}/nothing-here`, ada.access_token)
    const refused = await logged(harness, clientId(), { reason: 'http_404' })
    assert.deepEqual([refused.kind, refused.outcome], ['proxy', 'refused'])
  })

  test('a delivery is shown from the deliveries of each destination, also a failed one', async () => {
    const receiver = await startReceiver()
    try {
      receiver.response = () => 500
      const push = pusher(harness, harness.app)
      const made = await push.add({ kind: 'webhook', url: receiver.url, name: 'Receiver' })
      const failed = await logged(harness, clientId(), { kind: 'delivery', outcome: 'failed' })
      assert.equal(failed.reason, 'destination_failed')
      assert.match(failed.summary, /^Receiver: \d+ rows, .*500/)
      receiver.response = () => 200
      await push.request('POST', `/push/${made.id}/resume`)
      await push.caughtUp(made)
      const ok = await logged(harness, clientId(), { kind: 'delivery', outcome: 'ok', account: ada.account })
      assert.equal(ok.service, SERVICE)
      assert.equal(ok.steps[0]?.detail['destination'], 'Receiver')
      await push.request('DELETE', `/push/${made.id}`)
    } finally {
      await receiver.close()
    }
  })
})

suite('reading the log', () => {
  test('pages join to the same list, in order, and every filter narrows it', async () => {
    // Nothing is added while the pages are read.
    const paused = await send(harness, 'POST', `/profiles/${SERVICE}/pause`, { token: ada.access_token })
    assert.equal(paused.status, 200, paused.text)
    await harness.tributary.idle('syncs')
    await allWritten(harness, harness.app)
    const all = await entries({ limit: '200' })
    assert.ok(all.length >= 6)
    const paged = []
    let cursor: string | undefined
    do {
      const page = await readLog(harness, clientId(), { limit: '2', ...(cursor === undefined ? {} : { cursor }) })
      paged.push(...page.operations)
      cursor = page.next
    } while (cursor !== undefined)
    assert.deepEqual(paged, all)
    for (const query of [
      { kind: 'sync' },
      { outcome: 'failed' },
      { service: SERVICE },
      { account: ada.account },
    ] as const) {
      const [[name, value]] = Object.entries(query) as [[keyof (typeof all)[number], string]]
      const expected = all.filter((each) => each[name] === value)
      assert.deepEqual(await entries({ ...query, limit: '200' }), expected, JSON.stringify(query))
    }
    const { at } = all[2]!
    assert.ok((await entries({ since: String(at + DAY_MS) })).length === 0)
    assert.ok((await entries({ until: String(at - DAY_MS) })).length === 0)
    assert.deepEqual(await entries({ q: 'NOTHING-CONTAINS-THIS' }), [])
    assert.ok((await entries({ q: 'GET /me' })).length > 0)
    assert.ok((await entries({ q: ada.account.toUpperCase(), limit: '200' })).length > 0)
  })

  test('invalid parameters and unknown operations are refused', async () => {
    const { admin } = harness.tributary
    for (const query of ['kind=other', 'outcome=good', 'since=yesterday', 'limit=0', 'limit=300', 'unknown=1'])
      assert.equal((await admin('GET', `/admin/apps/${clientId()}/log?${query}`)).status, 400, query)
    assert.equal((await admin('GET', '/admin/apps/app_none/log')).status, 404)
    for (const id of ['op_', 'op_x', `op_${'0'.repeat(28)}`, 'call_0', 'dlv_0', 'nothing', 'op_%00'])
      assert.equal((await admin('GET', `/admin/apps/${clientId()}/log/${id}`)).status, 404, id)
    assert.equal((await fetch(`${harness.tributary.url}/admin/apps/${clientId()}/log`)).status, 401)
    const asApp = await send(harness, 'GET', `/admin/apps/${clientId()}/log`, { headers: basic(harness.app) })
    assert.equal(asApp.status, 401)
  })

  test('an app sees nothing of another one', async () => {
    const other = await harness.makeApp()
    assert.deepEqual(await readLog(harness, other.clientId), { operations: [] })
    for (const { id } of await entries({ limit: '200' }))
      assert.equal((await harness.tributary.admin('GET', `/admin/apps/${other.clientId}/log/${id}`)).status, 404)
    assert.deepEqual((await readLog(harness, other.clientId, { account: ada.account })).operations, [])
  })
})

test('no secret is in the log', async () => {
  const app = await harness.makeApp()
  const state = 'state-of-the-app-0123456789'
  const code = await newCode(harness, SERVICE, 'ben', { state }, app)
  const { access_token: token } = await redeemed(harness, code, app)
  const { text } = await get(harness, '/profiles?auth=true', token)
  const issued = [...text.matchAll(/"(?:token|refresh_token|token_secret)":"([^"]+)"/g)].map(([, value]) => value!)
  const wrong = {
    access_token: 'trs_0123456789abcdefghjkmnpqrs',
    redirect_uri: 'https://x.test/?code=very-secret-code',
  }
  await newBrowser().open(startUrl(harness, SERVICE, wrong, app))
  await newBrowser().open(startUrl(harness, SERVICE, { access_token: wrong.access_token }, app))
  const said = { error: 'invalid_grant', error_description: `token ${issued[0] ?? ''} secret=abcdef0123456789` }
  harness.lab.services[SERVICE].faults.add({
    path: '/api/me',
    kind: 'response',
    status: 403,
    body: JSON.stringify(said),
  })
  await newBrowser().walk(startUrl(harness, SERVICE, {}, app), { person: 'ben' })
  await get(harness, `/proxy/${SERVICE}/me?signature=query-secret-1`, token)
  await logged(harness, app.clientId, { kind: 'proxy' })
  await until(
    'all are logged',
    () => entriesOf(app.clientId),
    (found) => found >= 4,
  )
  const rows = await harness.sql<{ row: string }>(
    `select o::text as row from operation o union all select c::text from call_log c union all select d::text from delivery d`,
  )
  const dump = rows.map(({ row }) => row).join('\n')
  const secrets = [code, token, state, app.secret, ...issued, wrong.access_token, 'very-secret-code', 'query-secret-1']
  for (const { secret } of Object.values(app.keys)) secrets.push(secret)
  assert.ok(secrets.length >= 9 && dump.includes(app.clientId))
  for (const secret of [...secrets, 'abcdef0123456789']) assert.ok(!dump.includes(secret), secret)
})

const entriesOf = async (id: string) => (await readLog(harness, id, { kind: 'sign_in' })).operations.length

test('requests that anybody can send are logged up to a limit', async () => {
  const app = await harness.makeApp()
  const refused = async () =>
    (await fetch(startUrl(harness, 'unknown', {}, app), { redirect: 'manual' })).body?.cancel()
  for (let i = 0; i < 7; i += 1) await Promise.all(Array.from({ length: 20 }, refused))
  await signIn(harness, SERVICE, 'ada', {}, app)
  await logged(harness, app.clientId, { kind: 'sign_in', outcome: 'ok' })
  const { operations } = await readLog(harness, app.clientId, { limit: '200', reason: 'service_unknown' })
  // The minute may have changed once.
  assert.ok(operations.length >= 60 && operations.length <= 120, String(operations.length))
})

suite('the end of entries', () => {
  test('they are removed after LOG_DAYS', async () => {
    const app = await harness.makeApp()
    const { access_token: token } = await signIn(harness, SERVICE, 'ada', {}, app)
    await get(harness, `/proxy/${SERVICE}/me`, token)
    await logged(harness, app.clientId, { kind: 'sign_in', outcome: 'ok' })
    await logged(harness, app.clientId, { kind: 'proxy' })
    const { database } = harness.tributary.store
    const at = (days: number) => ({
      database,
      clock: { now: () => Date.now() + days * DAY_MS },
      config: { logDays: 3 },
    })
    // Not those of the first sync, which may end at any time.
    const shown = async () => (await readLog(harness, app.clientId)).operations.filter(({ kind }) => kind !== 'sync')
    await purgeExpired(at(2.9))
    assert.equal((await shown()).length, 2)
    const { operations } = await purgeExpired(at(3.1))
    assert.ok(operations > 0)
    assert.deepEqual(await shown(), [])
  })

  test('those of an account are erased with it, also what was logged before a merge', async () => {
    const app = await harness.makeApp()
    const [one, two] = [
      await signIn(harness, SERVICE, 'ben', {}, app),
      await signIn(harness, 'demo-health', 'ben', {}, app),
    ]
    for (const [{ access_token: token }, service] of [
      [one, SERVICE],
      [two, 'demo-health'],
    ] as const) {
      await synced(harness, token, service)
      await get(harness, `/proxy/${service}/me`, token)
    }
    await harness.tributary.idle('syncs')
    await allWritten(harness, app)
    await until('four are logged', async () => {
      const { operations } = await readLog(harness, app.clientId, { limit: '200' })
      const done = operations.filter(
        ({ kind, outcome }) => kind === 'proxy' || (kind === 'sign_in' && outcome === 'ok'),
      )
      return done.length === 4
    })
    const merged = await send(harness, 'POST', '/auth/merge', {
      form: { source: one.access_token, dest: two.access_token },
      headers: basic(app),
    })
    assert.ok(merged.status < 300, merged.text)
    const { operations } = await readLog(harness, app.clientId, { account: two.account })
    assert.equal(operations.filter(({ kind }) => kind === 'sign_in').length, 2)
    assert.equal((await send(harness, 'DELETE', `/accounts/${two.account}`, { headers: basic(app) })).status, 200)
    const left = await harness.sql(
      `select 1 from operation where account_id is not null and app_id = '${app.clientId}' union all
       select 1 from call_log where app_id = '${app.clientId}'`,
    )
    assert.deepEqual(left, [])
  })

  test('those of an app are deleted with it', async () => {
    const app = await harness.makeApp()
    const { access_token: token } = await signIn(harness, SERVICE, 'ada', {}, app)
    await synced(harness, token, SERVICE)
    await harness.tributary.idle('syncs')
    await allWritten(harness, app)
    const { id } = await logged(harness, app.clientId, { kind: 'sign_in', outcome: 'ok' })
    assert.ok((await inspected(harness, app.clientId, id)).steps.length > 0)
    await harness.tributary.admin('DELETE', `/admin/apps/${app.clientId}?erase=true`)
    const count = () => harness.sql(`select 1 from operation where app_id = '${app.clientId}'`)
    await until('its entries are gone', count, (rows) => rows.length === 0)
    await until(
      'the app is gone',
      async () => (await harness.tributary.admin('GET', `/admin/apps/${app.clientId}`)).status,
      (status) => status === 404,
    )
    assert.deepEqual(await count(), [])
  })
})
