import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { PROXY_METHODS } from '#http/proxy/proxy.ts'
import { ROUTES } from '#http/routes.ts'
import { reseal } from '#store/reseal.ts'
import { type App, basic, makeApp } from '../../harness/app.ts'
import { holdTable } from '../../harness/database/hold-table.ts'
import { startSecondServer } from '../../harness/database/second-server.ts'
import { purgeExpired } from '../../harness/maintenance.ts'
import { newPerson, type Person } from '../../harness/person.ts'
import { send } from '../../harness/send.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

/** POST routes that do not take the header, and why repeating them is safe or impossible. */
const WITHOUT_KEY: Record<string, string> = {
  '/auth/:service/callback': 'a service posts it by a browser; its state is used once',
  '/auth/:service/callback/:registration': 'a service posts it by a browser; its state is used once',
  '/oauth/ask': 'a page; repeating it asks again',
  '/connect/link': 'a page: the same browser may begin again',
  '/oauth/choose': 'a page whose ticket always leads to the same result',
  '/oauth/confirm': 'a page whose ticket always leads to the same result',
  '/oauth/typed': 'a page whose ticket always leads to the same result',
  '/oauth/file': 'a page whose ticket always leads to the same result',
  '/uploads/:service': 'the same file again changes nothing, and it is too large to be compared',
  '/oauth/access_token': 'a code is used once, and its second use ends what the first gave (RFC 6749 4.1.2)',
  '/oauth/revoke': 'revoking a revoked token succeeds',
  '/profiles/:profile/sync': 'asks for a run that may be due already',
  '/profiles/:profile/reset': 'creates nothing',
  '/profiles/:profile/pause': 'pausing a paused profile succeeds',
  '/profiles/:profile/resume': 'resuming a running profile succeeds',
  '/accounts/:id/profiles/:profile/pause': 'pausing a paused profile succeeds',
  '/accounts/:id/profiles/:profile/resume': 'resuming a running profile succeeds',
  '/hooks/:service/:client_id': 'services send it, with their own ids',
  '/hooks/:service/:client_id/deletion': 'services send it; the same request has the same code',
  '/hooks/:service/:client_id/deauthorize': 'services send it; repeating it finds nothing left',
  '/push/:id/pause': 'pausing a paused destination succeeds',
  '/push/:id/resume': 'resuming an active destination succeeds',
  '/push/:id/test': 'stores nothing',
  '/push/test': 'stores nothing',
  '/push/preview': 'stores nothing',
  '/admin/apps/:client_id/keys/:service/test': 'stores nothing but an audit entry',
  '/push/:id/run': 'delivers what is due, once',
  '/dashboard/session': 'a session for each sign-in',
  '/dashboard/session/demo': 'a session for each visit',
  '/dashboard/session/challenge': 'stores nothing',
  '/dashboard/session/passkey': 'the answer of a passkey is accepted once',
  '/dashboard/link': 'only reads',
  '/dashboard/link/passkey': 'stores nothing',
  '/dashboard/link/accept': 'a link is used once',
  '/dashboard/exports': 'stores nothing',
  '/dashboard/passkeys': 'the answer of a passkey is accepted once',
  '/dashboard/passkeys/options': 'stores nothing',
  '/push/:id/verify': 'compares; a repair is repeated without harm',
  '/proxy/:service/:path': 'the header is passed on to the service, which decides',
  '/admin/apps/:client_id/quarantine/retry': 'sets a mark that may be set already',
  '/demo/start': 'a person presses a button; what is connected stays so',
  '/demo/controls': 'a person presses a button',
  '/demo/services/:service/:path': 'forms of the demo services',
  '/mcp': 'a protocol of its own, whose requests have ids',
  '/connections/open': 'a link is used once; a second click finds the session',
  '/connections/end': 'ending a connection that has ended succeeds',
  '/connections/reconnect': 'creates a link that only this browser follows; older ones expire',
  '/connections/agents/end': 'ending an access that has ended succeeds',
  '/connections/delete': 'the account is gone, and the session with it',
  '/oauth/agents/consent': 'what a person decides; the last decision counts',
  '/oauth/agents/revoke': 'repeating it finds nothing left',
  '/oauth/agents/token': 'codes and refresh tokens are used once',
}

let tributary: Tributary
let app: App
let person: Person
before(async () => {
  tributary = await startTributary()
  app = await makeApp(tributary)
  person = await newPerson(tributary.store, app.clientId)
})
after(() => tributary.stop())

const post = (path: string, key: string | undefined, options: Parameters<typeof send>[3], at = tributary.url) =>
  send({ tributary: { url: at } }, 'POST', path, {
    ...options,
    headers: { ...options?.headers, ...(key === undefined ? {} : { 'idempotency-key': key }) },
  })
const asAdmin = () => ({ authorization: `Bearer ${tributary.adminToken}` })
const newApp = (name: string) => ({ name, redirect_uris: ['https://app.test/'] })
const createApp = (key: string | undefined, name: string, at?: string) =>
  post('/admin/apps', key, { headers: asAdmin(), json: newApp(name) }, at)
const appsNamed = async (name: string) => (await tributary.sql('select id from app where name = $1', [name])).length
const hook = (name: string) => ({ name, kind: 'webhook', url: 'https://hooks.test/' })
const keys = () =>
  tributary.sql<{ status: number | null; sealed: Buffer }>('select status, sealed from idempotency_key')

suite('which routes take an Idempotency-Key', () => {
  test('every POST either takes it or is listed with the reason why not', () => {
    const posts = ROUTES.filter(([method]) => method === 'POST')
    const marked = posts.filter(([, , route]) => route.idempotencyKey !== undefined).map(([, path]) => path)
    const unmarked = posts.filter(([, , route]) => route.idempotencyKey === undefined).map(([, path]) => path)
    assert.deepEqual([...unmarked].sort(), Object.keys(WITHOUT_KEY).sort())
    for (const path of ['/push', '/admin/apps', '/auth/:service/apply', '/services/self/:endpoint'])
      assert.ok(marked.includes(path), path)
    assert.ok(PROXY_METHODS.includes('POST'))
  })

  test('only POST routes are marked, and an open one says who its caller is', () => {
    for (const [method, path, route] of ROUTES) {
      if (route.idempotencyKey === undefined) continue
      assert.equal(method, 'POST', path)
      assert.equal(typeof route.idempotencyKey === 'object', route.auth === 'none', path)
    }
  })

  test('the API description names the header and its refusals there', async () => {
    const { body } = await send({ tributary }, 'GET', '/openapi.json')
    const { post: add } = (body['paths'] as Record<string, Record<string, { parameters: { name: string }[] }>>)[
      '/push'
    ]!
    assert.ok(add!.parameters.some(({ name }) => name === 'Idempotency-Key'))
    assert.ok('422' in (add as unknown as { responses: object }).responses)
  })
})

suite('a repeated request with the same Idempotency-Key', () => {
  test('gets the first response again, with its secret, and creates nothing', async () => {
    const first = await createApp('"8e03978e-40d5-43dd-bc93-6894a57f9324"', 'Once')
    const second = await createApp('"8e03978e-40d5-43dd-bc93-6894a57f9324"', 'Once')
    assert.deepEqual([first.status, second.status], [201, 201])
    assert.equal(second.text, first.text)
    assert.equal(second.headers.get('content-type'), first.headers.get('content-type'))
    assert.deepEqual(
      [first.headers.get('idempotency-replayed'), second.headers.get('idempotency-replayed')],
      [null, 'true'],
    )
    assert.notEqual(second.headers.get('x-request-id'), first.headers.get('x-request-id'))
    assert.equal(await appsNamed('Once'), 1)
    // Quotes are the notation, not the key.
    const bare = await createApp('8e03978e-40d5-43dd-bc93-6894a57f9324', 'Once')
    assert.equal(bare.text, first.text)
    await createApp(undefined, 'Once')
    assert.equal(await appsNamed('Once'), 2)
  })

  test('also under /v0 and by another process', async () => {
    const other = await startSecondServer(tributary)
    try {
      const first = await createApp('"elsewhere"', 'Elsewhere')
      const second = await createApp('"elsewhere"', 'Elsewhere', other.tributary.url)
      const prefixed = await createApp('"elsewhere"', 'Elsewhere', `${tributary.url}/v0`)
      assert.deepEqual([second.text, prefixed.text], [first.text, first.text])
    } finally {
      await other.stop()
    }
  })

  test('S85 the secret is sealed at rest, is resealed with a new key, and does not reach the log', async () => {
    const { body } = await createApp('"sealed"', 'Sealed')
    const secret = String(body['client_secret'])
    const rows = await keys()
    assert.ok(rows.length > 0)
    assert.ok(rows.every(({ sealed }) => sealed === null || !sealed.includes(secret)))
    assert.ok(!tributary.logged.some((line) => line.includes(secret)))
    const { unreadable } = await reseal(tributary.store.database, tributary.store.keyring, () => {})
    assert.deepEqual(unreadable, [])
  })

  test('S85 with another body, path or query is refused with 422', async () => {
    await createApp('"other"', 'First')
    const conflict = await createApp('"other"', 'Second')
    assert.deepEqual(
      [conflict.status, conflict.body['reason'], conflict.body['param']],
      [422, 'idempotency_conflict', 'Idempotency-Key'],
    )
    assert.equal(await appsNamed('Second'), 0)
    const clientId = (await createApp(undefined, 'Rotated')).body['client_id']
    const rotate = (id: unknown) => post(`/admin/apps/${String(id)}/rotate-secret`, '"rotate"', { headers: asAdmin() })
    const rotated = await rotate(clientId)
    assert.equal(rotated.status, 200)
    assert.equal((await rotate(clientId)).text, rotated.text)
    assert.equal((await rotate(app.clientId)).status, 422)
  })

  test('S85 of another caller or at another route is another request', async () => {
    const [one, two] = [await makeApp(tributary), await makeApp(tributary)]
    const first = await post('/push', '"shared"', { headers: basic(one), json: hook('mine') })
    const second = await post('/push', '"shared"', { headers: basic(two), json: hook('mine') })
    assert.deepEqual([first.status, second.status], [201, 201])
    assert.notEqual(first.body['id'], second.body['id'])
    assert.equal(second.headers.get('idempotency-replayed'), null)
    const backfill = await post(`/push/${String(first.body['id'])}/backfill`, '"shared"', { headers: basic(one) })
    assert.equal(backfill.status, 202)
  })

  test('of an account: any of its tokens, in the query or the header', async () => {
    const items = [{ id: 'a', text: 'note' }]
    const path = '/services/self/notes'
    const first = await post(path, '"own"', { token: person.token, json: items })
    const inQuery = await post(`${path}?access_token=${person.token}`, '"own"', { json: items })
    assert.deepEqual([first.body, inQuery.body], [{ added: 1, changed: 0, unchanged: 0 }, first.body])
    const stranger = await newPerson(tributary.store, app.clientId)
    assert.deepEqual((await post(path, '"own"', { token: stranger.token, json: items })).body, first.body)
  })

  test('S85 needs valid credentials each time', async () => {
    const one = await makeApp(tributary)
    const { status } = await post('/push', '"proof"', { headers: basic(one), json: hook('proof') })
    assert.equal(status, 201)
    const wrong = await post('/push', '"proof"', {
      headers: basic({ ...one, secret: 'trs_wrong' }),
      json: hook('proof'),
    })
    assert.deepEqual([wrong.status, wrong.headers.get('idempotency-replayed')], [401, null])
    const apply = { client_id: one.clientId, client_secret: 'trs_wrong', token: 't' }
    assert.equal((await post('/auth/github/apply', '"proof"', { json: apply })).status, 401)
  })

  test('a refusal by the route is repeated too; one of an invalid request is not kept', async () => {
    const apply = { client_id: app.clientId, client_secret: app.secret, token: 't' }
    const first = await post('/auth/github/apply', '"refused"', { json: apply })
    const second = await post('/auth/github/apply', '"refused"', { json: apply })
    assert.deepEqual([first.status, first.body['reason']], [404, 'no_service_keys'])
    assert.deepEqual([second.status, second.text], [404, first.text])
    assert.equal(second.headers.get('idempotency-replayed'), 'true')
    const invalid = await post('/push', '"mended"', { headers: basic(app), json: { name: 'x' } })
    assert.equal(invalid.status, 400)
    assert.equal((await post('/push', '"mended"', { headers: basic(app), json: hook('mended') })).status, 201)
  })

  for (const [what, key] of Object.entries({
    empty: '""',
    'without its end': '"abc',
    'with a line break inside': '"a\tb"',
    'a list': '"a", "b"',
    'too long': `"${'x'.repeat(256)}"`,
    'not ASCII': '"ä"',
    'with spaces and without quotes': 'a b',
  }))
    test(`a malformed key is refused: ${what}`, async () => {
      const { status, body } = await createApp(key, 'Malformed')
      assert.deepEqual([status, body['reason'], body['param']], [400, 'bad_parameter', 'Idempotency-Key'])
      assert.equal(await appsNamed('Malformed'), 0)
    })

  test('a route that does not take the header ignores it', async () => {
    const { status } = await post('/oauth/revoke', 'a b', { form: { token: 'x' } })
    assert.equal(status, 200)
  })
})

suite('R13 requests with the same Idempotency-Key at the same time', () => {
  test('one is executed; the other gets 409 with Retry-After, from every process', async () => {
    const other = await startSecondServer(tributary)
    const held = await holdTable(tributary.databaseUrl, 'audit')
    try {
      const first = createApp('"twice"', 'Twice')
      await held.awaited()
      for (const url of [tributary.url, other.tributary.url]) {
        const { status, body, headers } = await createApp('"twice"', 'Twice', url)
        assert.deepEqual([status, body['reason']], [409, 'idempotency_in_progress'])
        assert.match(headers.get('retry-after') ?? '', /^\d+$/)
      }
      assert.equal((await createApp('"twice"', 'Thrice')).status, 422)
      await held.release()
      const { status, text } = await first
      assert.equal(status, 201)
      assert.equal((await createApp('"twice"', 'Twice', other.tributary.url)).text, text)
      assert.equal(await appsNamed('Twice'), 1)
    } finally {
      await other.stop()
    }
  })

  test('of many at once exactly one is executed', async () => {
    const replies = await Promise.all(Array.from({ length: 8 }, () => createApp('"many"', 'Many')))
    assert.ok(replies.every(({ status }) => status === 201 || status === 409))
    assert.equal(await appsNamed('Many'), 1)
    const ids = replies.filter(({ status }) => status === 201).map(({ body }) => body['client_id'])
    assert.equal(new Set(ids).size, 1)
  })

  test('a key of a request whose lease ended is free for the same request only', async () => {
    await createApp('"stale"', 'Stale')
    const [{ hash }] = (await tributary.sql<{ hash: Buffer }>(
      'select hash from idempotency_key order by expires_at desc limit 1',
    )) as [{ hash: Buffer }]
    const unfinished = (leaseUntil: number) =>
      tributary.sql('update idempotency_key set status = null, sealed = null, lease_until = $2 where hash = $1', [
        hash,
        leaseUntil,
      ])
    await unfinished(Date.now() + 60_000)
    assert.equal((await createApp('"stale"', 'Stale')).status, 409)
    await unfinished(Date.now() - 1)
    assert.equal((await createApp('"stale"', 'Fresh')).status, 422)
    assert.equal((await createApp('"stale"', 'Stale')).status, 201)
    assert.equal(await appsNamed('Stale'), 2)
  })
})

suite('what is kept for an Idempotency-Key', () => {
  test('not a failure on our side: the request can be repeated at once', async () => {
    await tributary.sql('alter table audit rename to audit_away')
    const failed = await createApp('"failed"', 'Failed')
    await tributary.sql('alter table audit_away rename to audit')
    assert.equal(failed.status, 500)
    const again = await createApp('"failed"', 'Failed')
    assert.deepEqual([again.status, again.headers.get('idempotency-replayed')], [201, null])
    assert.equal(await appsNamed('Failed'), 1)
  })

  test('nothing after 24 hours: maintenance deletes it, and an expired key counts as new', async () => {
    await createApp('"expired"', 'Expired')
    await tributary.sql('update idempotency_key set expires_at = $1', [Date.now() - 1])
    const again = await createApp('"expired"', 'Expired')
    assert.deepEqual([again.status, again.headers.get('idempotency-replayed')], [201, null])
    const { database } = tributary.store
    await purgeExpired({ ...tributary.store, clock: { now: () => Date.now() + 86_400_000 - 3_600_000 } })
    assert.equal((await keys()).length, 1)
    const { idempotency_keys: purged } = await purgeExpired({
      ...tributary.store,
      database,
      clock: { now: () => Date.now() + 86_400_001 },
    })
    assert.deepEqual([purged, (await keys()).length], [1, 0])
  })

  test('nothing of an app that is deleted', async () => {
    const one = await makeApp(tributary)
    await post('/push', '"gone"', { headers: basic(one), json: hook('gone') })
    assert.equal((await keys()).length, 1)
    await tributary.admin('DELETE', `/admin/apps/${one.clientId}?erase=true`)
    await tributary.idle('syncs')
    assert.equal((await keys()).length, 0)
  })
})
