import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { type App, basic, makeApp } from '../../harness/app.ts'
import { type LabHarness, startLabHarness } from '../../harness/lab.ts'
import { LOOPBACK_TYPED } from '../../harness/loopback.ts'
import { ageCredentials } from '../../harness/profiles.ts'
import { send } from '../../harness/send.ts'
import { begin, codeOf, REDIRECT, redeemed, startUrl, walk } from '../../harness/sign-in.ts'
import { entryOf } from '../sign-in/fixture.ts'

const SERVICE = 'demo-registering'
const FORGOTTEN = '{"error":"invalid_client"}'

suite('keys that a service registers', () => {
  let harness: LabHarness
  let app: App
  let host: string
  before(async () => {
    harness = await startLabHarness({
      ...LOOPBACK_TYPED,
      TRIBUTARY_CONNECTORS: join(import.meta.dirname, '../sign-in/instance-connectors'),
    })
    host = new URL(harness.lab.services['demo-social'].url).host
    app = await makeApp(harness.tributary, { redirectUris: [REDIRECT] })
  })
  after(() => harness.stop())

  const start = (by = app) => startUrl(harness, SERVICE, { host }, by)
  const signIn = async () => redeemed({ ...harness, app }, codeOf(await walk(start(), { person: 'ada' })))
  const registrations = () => harness.lab.services['demo-social'].requests.to('/oauth/register', 'POST').length
  const profile = async (token: string) => {
    const query = { auth: 'true', access_token: token }
    return entryOf((await send(harness, 'GET', '/profiles', { query, headers: basic(app) })).body, SERVICE)
  }
  const rowsOf = (by: App) =>
    harness.sql<{ lease: string | null }>('select * from service_registration where app_id = $1', [by.clientId])

  test('sign in, refresh and revoke by RFC 7591', async () => {
    const { access_token: token } = await signIn()
    const first = await profile(token)
    await ageCredentials(harness.sql)
    assert.notEqual((await profile(token)).auth.refresh_token, first.auth.refresh_token)
    await signIn()
    assert.equal(registrations(), 1)
  })

  test('a key that is forgotten at a refresh asks for a new sign-in, which registers again', async () => {
    const { access_token: token } = await signIn()
    const before = registrations()
    await ageCredentials(harness.sql)
    const fault = { kind: 'response', status: 401, path: '/oauth/token', body: FORGOTTEN, times: 2 } as const
    harness.lab.services['demo-social'].faults.add(fault)
    assert.equal((await profile(token))['state'], 'needs_auth')
    harness.lab.services['demo-social'].faults.clear()
    assert.deepEqual(await rowsOf(app), [])
    const { access_token: later } = await signIn()
    assert.equal((await profile(later))['state'], 'active')
    assert.equal(registrations() - before, 1)
  })

  test('a registration that a crash left behind is taken over when its lease has ended', async () => {
    const crashed = await makeApp(harness.tributary, { redirectUris: [REDIRECT] })
    await begin(start(crashed))
    await harness.sql(
      `update service_registration set sealed = null, lease = 'x', lease_until = 1, began_at = 1 where app_id = $1`,
      [crashed.clientId],
    )
    const page = await begin(start(crashed))
    assert.ok(page.url.startsWith(harness.lab.services['demo-social'].url), page.url)
    assert.deepEqual(
      (await rowsOf(crashed)).map(({ lease }) => lease),
      [null],
    )
  })

  test('beyond the limit, keys that nobody used make room; used ones stay and further ones are refused', async () => {
    const full = await makeApp(harness.tributary, { redirectUris: [REDIRECT] })
    const fill = (usedAt: number | null) =>
      harness.sql(
        `insert into service_registration (app_id, service, instance, sealed, began_at, used_at)
         select $1, $2, n || '.test', '\\x00', 1, $3::bigint from generate_series(1, 5000) n`,
        [full.clientId, SERVICE, usedAt],
      )
    await fill(1)
    const refused = await begin(start(full))
    assert.match(refused.body, /role="alert">This app cannot be used at further servers/)
    assert.equal((await rowsOf(full)).length, 5000)
    await harness.sql('delete from service_registration where app_id = $1', [full.clientId])
    await fill(null)
    const page = await begin(start(full))
    assert.ok(page.url.startsWith(harness.lab.services['demo-social'].url), page.url)
    assert.equal((await rowsOf(full)).length, 1)
    await harness.sql('delete from service_registration where app_id = $1', [full.clientId])
  })
})
