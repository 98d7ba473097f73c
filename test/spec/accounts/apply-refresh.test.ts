import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { applyToken } from '#flows/apply/apply.ts'
import { OVERRIDES } from '#model/apps/app.ts'
import { findApp } from '#store/apps/apps.ts'
import { storeApplied } from '#store/identity/applied-tokens.ts'
import { basic } from '../../harness/app.ts'
import { tributary } from '../../harness/command-line.ts'
import type { DemoService, LabApp, LabHarness } from '../../harness/lab.ts'
import { LOOPBACK } from '../../harness/loopback.ts'
import { get, send } from '../../harness/send.ts'
import {
  assertRefused,
  CONNECTORS,
  entryOf,
  nativeId,
  openFlows,
  startQuietHarness,
  tokensFor,
} from '../sign-in/fixture.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

const apply = (service: string, json: Record<string, unknown>, by: LabApp = harness.app) =>
  send(harness, 'POST', `/auth/${service}/apply`, { json, headers: basic(by) })
const authOf = async (token: string, service: string, by: LabApp = harness.app) => {
  const query = { access_token: token, auth: 'true' }
  return entryOf((await send(harness, 'GET', '/profiles', { query, headers: basic(by) })).body, service).auth
}
/** Tokens whose profile is forgotten here, without a call to the service: the app has them from elsewhere. */
const forgotten = async (service: DemoService, person: string, by: LabApp = harness.app) => {
  const tokens = await tokensFor(harness, service, person, by)
  await harness.sql('delete from credential where profile_id in (select id from profile where app_id = $1)', [
    by.clientId,
  ])
  return tokens
}

suite('a refresh token of another system', () => {
  test('is kept with expiry and scope, and renews the token later', async () => {
    const app = await harness.makeApp()
    const { token, refresh_token: refreshToken, expires_at: expiresAt } = await forgotten('demo-social', 'ada', app)
    const given = { token, refresh_token: refreshToken, expires_at: expiresAt, scope: 'read profile' }
    const applied = await apply('demo-social', given, app)
    assert.equal(applied.status, 200, applied.text)
    const accessToken = String(applied.body['access_token'])
    const auth = await authOf(accessToken, 'demo-social', app)
    assert.deepEqual(auth, { token, refresh_token: refreshToken, expires_at: expiresAt, scope: 'read profile' })
    await harness.sql('update credential set expires_at = 1')
    assert.equal((await get(harness, '/proxy/demo-social/me', accessToken)).status, 200)
    assert.notEqual((await authOf(accessToken, 'demo-social', app)).token, token)
  })

  test('alone is used at once; a repeated request finds the same profile, not a dead token', async () => {
    const app = await harness.makeApp()
    const { refresh_token: refreshToken } = await forgotten('demo-social', 'ben', app)
    const first = await apply('demo-social', { refresh_token: refreshToken }, app)
    assert.equal(first.status, 200, first.text)
    assert.equal(first.body['profile'], `${nativeId(harness, 'demo-social', 'ben')}@demo-social`)
    assert.equal(first.body['app_verified'], true)
    const again = await apply('demo-social', { refresh_token: refreshToken }, app)
    assert.equal(again.status, 200, again.text)
    assert.equal(again.body['account'], first.body['account'])
    assert.equal((await get(harness, '/profiles', String(again.body['access_token']))).status, 200)
    assertRefused(
      await apply('demo-social', { refresh_token: refreshToken, account: 'nonsense' }, app),
      400,
      'bad_body',
    )
  })

  test('an expired or refused token is renewed by it', async () => {
    const app = await harness.makeApp()
    const { refresh_token: refreshToken } = await forgotten('demo-social', 'ben', app)
    const expired = { token: 'old', refresh_token: refreshToken, expires_at: 1 }
    assert.equal((await apply('demo-social', expired, app)).status, 200)
    const { refresh_token: second } = await forgotten('demo-social', 'finn', app)
    assert.equal((await apply('demo-social', { token: 'refused', refresh_token: second }, app)).status, 200)
  })

  test('two requests at once use it once', async () => {
    const app = await harness.makeApp()
    const { refresh_token: refreshToken } = await forgotten('demo-social', 'ada', app)
    const both = await Promise.all([1, 2].map(() => apply('demo-social', { refresh_token: refreshToken }, app)))
    for (const reply of both) assert.equal(reply.status, 200, reply.text)
    assert.equal(both[0]!.body['account'], both[1]!.body['account'])
  })

  test('what the service returned for it survives a process that dies before the profile is connected', async () => {
    const app = await harness.makeApp()
    const { refresh_token: refreshToken } = await forgotten('demo-social', 'ben', app)
    const { deps, close } = await openFlows(harness)
    const record = await findApp(deps.database, app.clientId)
    const dying = {
      ...deps,
      database: {
        ...deps.database,
        rows: deps.database.rows.bind(deps.database),
        count: deps.database.count.bind(deps.database),
        transaction: () => Promise.reject(new Error('killed')),
      },
    } as unknown as typeof deps
    await assert.rejects(applyToken(dying, record!, { service: 'demo-social', refreshToken }), /killed/)
    await close()
    const again = await apply('demo-social', { refresh_token: refreshToken }, app)
    assert.equal(again.status, 200, again.text)
  })

  test('proves the app where the service has no other way', async () => {
    const app = await harness.makeApp({ apply: 'proven' })
    const { token, refresh_token: refreshToken } = await forgotten('demo-health', 'ada', app)
    assertRefused(await apply('demo-health', { token }, app), 403, 'app_unproven')
    const applied = await apply('demo-health', { token, refresh_token: refreshToken }, app)
    assert.equal(applied.status, 200, applied.text)
    assert.equal(applied.body['app_verified'], true)
  })

  test('of another app is refused, and one that has ended; a retry is not blocked', async () => {
    const [app, other] = [await harness.makeApp(), await harness.makeApp()]
    const { refresh_token: refreshToken } = await forgotten('demo-social', 'ada', other)
    for (const token of [refreshToken, refreshToken, 'made-up'])
      assertRefused(await apply('demo-social', { refresh_token: token }, app), 401, 'service_refused')
    const [rows] = await harness.sql('select count(*)::int as count from applied_token where app_id = $1', [
      app.clientId,
    ])
    assert.equal(rows!['count'], 0)
  })

  test('the instance belongs to the identity of the request, and is checked', async () => {
    const app = await harness.makeApp()
    const { refresh_token: refreshToken } = await forgotten('demo-social', 'ada', app)
    const url = harness.lab.services['demo-social'].url
    const applied = await apply('demo-social', { refresh_token: refreshToken, instance: { base_url: url } }, app)
    assert.equal(applied.status, 200, applied.text)
    assertRefused(
      await apply('demo-social', { refresh_token: refreshToken, instance: {} }, app),
      401,
      'service_refused',
    )
    for (const instance of [{ nonsense: 'https://a.test' }, { api_url: 'file:///etc' }, 'not json', ['a']])
      assertRefused(await apply('demo-social', { token: 't', instance }, app), 400, 'bad_body')
  })

  test('goes to no server that the app names: a service has one server, and only an operator sets another', async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization}`)
      response.end('{}')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    try {
      const app = await harness.makeApp()
      for (const name of OVERRIDES.toReversed())
        for (const given of [{ token: 't' }, { refresh_token: 'r' }]) {
          const instance = { [name]: `http://127.0.0.1:${port}/stolen` }
          const refused = await apply('demo-social', { ...given, instance }, app)
          assert.deepEqual(asked, [], name)
          assertRefused(refused, 400, 'bad_body')
          assert.match(String(refused.body['error']), /operator/)
        }
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })

  test('is not stored any more once its app is being deleted', async () => {
    const app = await harness.makeApp()
    const { deps, close } = await openFlows(harness)
    try {
      await harness.sql('update app set deleting_at = 1 where id = $1', [app.clientId])
      const until = { leaseUntil: 0, expiresAt: Date.now() + 60_000 }
      const renewed = { hash: Buffer.alloc(32, 7), appId: app.clientId, value: '{}', ...until }
      await storeApplied(deps.database, deps.keyring, renewed)
      assert.deepEqual(await harness.sql('select 1 from applied_token where app_id = $1', [app.clientId]), [])
    } finally {
      await close()
    }
  })

  test('is not for services without one', async () => {
    assertRefused(await apply('demo-micro', { token: 't', token_secret: 's', refresh_token: 'r' }), 400, 'bad_body')
    assertRefused(await apply('demo-social', { fields: { a: 'b' } }), 400, 'bad_body')
  })
})

suite('many at once', () => {
  test('a batch takes the same fields, by HTTP and by the command line', async () => {
    const app = await harness.makeApp()
    const { refresh_token: one } = await forgotten('demo-social', 'ada', app)
    const { token } = await tokensFor(harness, 'demo-social', 'ben', app)
    const accounts = [
      { id: 'a', 'demo-social': { refresh_token: one, scope: 'read' } },
      { id: 'b', 'demo-social': { token } },
      { id: 'c', 'demo-social': { refresh_token: 'made-up' } },
    ]
    const batch = await send(harness, 'POST', '/auth/apply/batch', { json: { accounts }, headers: basic(app) })
    assert.equal(batch.status, 200, batch.text)
    const { a, b, c } = batch.body as Record<string, Record<string, unknown>>
    assert.deepEqual(
      [a!['profiles'], b!['profiles']],
      [
        [`${nativeId(harness, 'demo-social', 'ada')}@demo-social`],
        [`${nativeId(harness, 'demo-social', 'ben')}@demo-social`],
      ],
    )
    assert.deepEqual(c, { error: { 'demo-social': 'service_refused' } })
    const empty = [{ id: 'd', 'demo-social': {} }]
    const refused = await send(harness, 'POST', '/auth/apply/batch', { json: { accounts: empty }, headers: basic(app) })
    assertRefused(refused, 400, 'bad_body')
    const { refresh_token: third } = await forgotten('demo-social', 'ada', app)
    const file = join(harness.tributary.dataDir, 'people.jsonl')
    writeFileSync(file, `${JSON.stringify({ id: 'e', 'demo-social': { refresh_token: third } })}\n`)
    const env = {
      DATABASE_URL: harness.tributary.databaseUrl,
      TRIBUTARY_DATA: harness.tributary.dataDir,
      TRIBUTARY_CONNECTORS: CONNECTORS,
      TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
    }
    const ran = await tributary(['apply', app.clientId, file, '--json'], env)
    assert.equal(ran.code, 0, ran.stderr)
    const { e } = JSON.parse(ran.stdout) as Record<string, { profiles: string[] }>
    assert.deepEqual(e!.profiles, [`${nativeId(harness, 'demo-social', 'ada')}@demo-social`])
    writeFileSync(file, '{"demo-social": {"token": "canary-token"}}')
    const wrong = await tributary(['apply', app.clientId, file], env)
    assert.equal(wrong.code, 2)
    assert.doesNotMatch(wrong.stderr, /canary-token/)
  })
})
