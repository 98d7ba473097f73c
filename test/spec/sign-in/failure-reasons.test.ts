import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { makeApp } from '../../harness/app.ts'
import { type LabHarness, startLabHarness } from '../../harness/lab.ts'
import { send } from '../../harness/send.ts'
import { newBrowser, REDIRECT, redeem, startUrl, walk } from '../../harness/sign-in.ts'
import { startTributary } from '../../harness/start.ts'
import { startQuietHarness } from './fixture.ts'

/** What returned to the app. */
const failure = ({ searchParams }: URL) => ({
  error: searchParams.get('error'),
  description: searchParams.get('error_description') ?? '',
  uri: searchParams.get('error_uri'),
})

suite('each cause of a failed sign-in has its own reason', () => {
  let harness: LabHarness
  before(async () => {
    harness = await startQuietHarness()
  })
  after(() => harness.stop())

  test('a permission that the person did not give: scope_missing', async () => {
    const back = await walk(harness.startUrl('demo-social'), { person: 'ada', permissions: ['posts.read'] })
    assert.deepEqual(failure(back), {
      error: 'scope_missing',
      description: 'The person did not grant profile.',
      uri: `${harness.tributary.url}/docs#sign-in-scope_missing`,
    })
  })

  test('a service that refuses: service_refused, with what it said', async () => {
    const body = '{"error":"invalid_client","error_description":"Unknown client"}'
    harness.lab.services['demo-social'].faults.add({ path: '/oauth/token', kind: 'response', status: 401, body })
    const { error, description } = failure(await walk(harness.startUrl('demo-social'), { person: 'ada' }))
    assert.equal(error, 'service_refused')
    assert.equal(
      description,
      "The service refuses the app's keys. It said: status 401, invalid_client: Unknown client.",
    )
  })

  test('a refusal of a token with all permissions is not a missing permission', async () => {
    const body = '{"error":"insufficient_scope"}'
    harness.lab.services['demo-social'].faults.add({ path: '/api/me', kind: 'response', status: 403, body })
    const { error, description } = failure(await walk(harness.startUrl('demo-social'), { person: 'ada' }))
    assert.equal(error, 'service_refused')
    assert.match(description, /status 403, insufficient_scope/)
  })

  test('an id that cannot be stored: service_refused; other texts of the person are cleaned', async () => {
    const { faults } = harness.lab.services['demo-social']
    const me = (record: object) =>
      faults.add({ path: '/api/me', kind: 'response', status: 200, body: JSON.stringify(record) })
    for (const id of ['a\0', '\0', 'a\ud800', '\udfffa']) {
      me({ id })
      const { error, description } = failure(await walk(harness.startUrl('demo-social'), { person: 'ada' }))
      assert.equal(error, 'service_refused', JSON.stringify(id))
      assert.match(description, /differs from the service's documentation/)
    }
    assert.deepEqual(await harness.sql('select 1 from profile'), [])
    me({ id: 'odd', name: 'O\0d\ud800d', handle: '\0' })
    const back = await walk(harness.startUrl('demo-social'), { person: 'ada' })
    await redeem(harness, back.searchParams.get('code') ?? '')
    const [stored] = await harness.sql<{ name: string }>(
      `select self ->> 'name' as name from profile where native_id = 'odd'`,
    )
    assert.equal(stored?.name, 'O\ufffdd\ufffdd')
  })

  test('no keys: no_service_keys, with the command', async () => {
    const { error, description } = failure(await walk(harness.startUrl('tumblr'), { person: 'ada' }))
    assert.equal(error, 'no_service_keys')
    assert.match(description, new RegExp(`tributary keys set ${harness.app.clientId} tumblr$`))
  })

  test('a service that is not known: service_unknown, with the name that was probably meant', async () => {
    const { error, description } = failure(await walk(harness.startUrl('demo-socail'), { person: 'ada' }))
    assert.deepEqual(
      [error, description],
      ['service_unknown', "service: 'demo-socail' is not a known service. Did you mean demo-social?"],
    )
  })

  test('a denial has no link to a description', async () => {
    const { error, uri } = failure(await walk(harness.startUrl('demo-social'), { person: 'ada', decision: 'deny' }))
    assert.deepEqual([error, uri], ['access_denied', null])
  })

  test('every error of a sign-in is described where error_uri leads', async () => {
    const { text } = await send(harness, 'GET', '/docs', { headers: { accept: 'text/html' } })
    for (const name of ['scope_missing', 'connector_failed', 'address_refused', 'service_refused', 'no_service_keys'])
      assert.ok(text.includes(`id="sign-in-${name}"`), name)
  })
})

test('an address that our egress guard refuses: address_refused, with the host and the setting', async () => {
  const strict = await startTributary()
  try {
    const keys = { 'demo-micro': { key: 'k', secret: 's', overrides: { base_url: 'http://127.0.0.1:9' } } }
    const app = await makeApp(strict, { redirectUris: [REDIRECT], keys })
    const page = await newBrowser().open(startUrl({ tributary: strict }, 'demo-micro', {}, app))
    const { error, description } = failure(new URL(page.url))
    assert.equal(error, 'address_refused')
    assert.match(description, /127\.0\.0\.1 was not called: .*TRIBUTARY_ALLOW_PRIVATE/)
    assert.ok(strict.logged.some((line) => line.includes('"host":"127.0.0.1"')))
  } finally {
    await strict.stop()
  }
})

test('a faulty connector: connector_failed, with what is wrong in it', async () => {
  const broken = await startLabHarness({ TRIBUTARY_CONNECTORS: join(import.meta.dirname, 'failing-connectors') })
  try {
    const number = failure(await walk(broken.startUrl('demo-social'), { person: 'ada' }))
    assert.equal(number.error, 'connector_failed')
    assert.match(number.description, /id of the person is a number instead of a text/)
    const thrown = failure(await walk(broken.startUrl('demo-social'), { person: 'ben' }))
    assert.equal(thrown.error, 'connector_failed')
    assert.match(thrown.description, /connector failed to read/)
    assert.deepEqual(await broken.sql('select 1 from profile'), [])
  } finally {
    await broken.stop()
  }
})
