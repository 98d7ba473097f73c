import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { basic, setKeys } from '../../harness/app.ts'
import type { DemoService, LabHarness } from '../../harness/lab.ts'
import { get, type RequestOptions, send } from '../../harness/send.ts'
import { signIn } from '../../harness/sign-in.ts'
import { assertRefused, auditOf, nativeId, serviceToken, startQuietHarness, tokensFor } from '../sign-in/fixture.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

const keys = () => ({ client_id: harness.app.clientId, client_secret: harness.app.secret })
const apply = (service: string, fields: Record<string, string>, options: RequestOptions = {}) =>
  send(harness, 'POST', `/auth/${service}/apply`, { form: { ...keys(), ...fields }, ...options })

suite('/auth/:service/apply', () => {
  test('GET with everything in the query, as in the specification', async () => {
    const { token } = await tokensFor(harness, 'demo-social', 'ada')
    const response = await send(harness, 'GET', '/auth/demo-social/apply', { query: { ...keys(), token } })
    assert.equal(response.status, 200, response.text)
    assert.deepEqual(Object.keys(response.body), ['access_token', 'account', 'profile', 'app_verified'])
    assert.equal(response.body['profile'], `${nativeId(harness, 'demo-social', 'ada')}@demo-social`)
    const { body } = await get(harness, '/profiles', String(response.body['access_token']))
    assert.deepEqual(body, { id: response.body['account'], 'demo-social': [nativeId(harness, 'demo-social', 'ada')] })
  })

  test('POST with a form, with JSON, and with Basic', async () => {
    const { token } = await tokensFor(harness, 'demo-social', 'ada')
    for (const options of [
      { form: { ...keys(), token } },
      { json: { ...keys(), token } },
      { form: { token }, headers: basic(harness.app) },
    ])
      assert.equal((await send(harness, 'POST', '/auth/demo-social/apply', options)).status, 200)
  })

  test('POST with parameters in the query; the body wins, and nothing of it is logged', async () => {
    const { token } = await tokensFor(harness, 'demo-social', 'ada')
    const path = '/auth/demo-social/apply'
    const all = await send(harness, 'POST', path, { query: { ...keys(), token } })
    assert.equal(all.status, 200, all.text)
    const split = await send(harness, 'POST', path, { query: { ...keys(), token: 'wrong-token' }, form: { token } })
    assert.equal(split.status, 200, split.text)
    assertRefused(await send(harness, 'POST', path, { query: keys() }), 400, 'bad_body')
    const repeated = await fetch(`${harness.tributary.url}${path}?token=a&token=b`, { method: 'POST' })
    assert.equal(repeated.status, 400)
    const lines = harness.tributary.logged.join('\n')
    for (const secret of [token, harness.app.secret]) assert.ok(!lines.includes(secret))
  })

  test('an empty `account` counts as absent', async () => {
    const { token } = await tokensFor(harness, 'demo-social', 'ada')
    const [one, two] = [await apply('demo-social', { token }), await apply('demo-social', { token, account: '' })]
    assert.equal(two.status, 200, two.text)
    assert.notEqual(two.body['account'], one.body['account'])
    const query = { ...keys(), token, account: '' }
    assert.equal((await send(harness, 'GET', '/auth/demo-social/apply', { query })).status, 200)
  })

  test('an OAuth 1 service requires its token secret', async () => {
    const { token, token_secret: tokenSecret } = await tokensFor(harness, 'demo-micro', 'ada')
    const missing = await apply('demo-micro', { token })
    assertRefused(missing, 400, 'bad_body')
    assert.match(String(missing.body['error']), /^token_secret: /)
    assert.equal(missing.body['param'], 'token_secret')
    assertRefused(await apply('demo-micro', { token, token_secret: 'wrong' }), 401, 'service_refused')
    assert.equal((await apply('demo-micro', { token, token_secret: tokenSecret! })).status, 200)
  })

  test('without `account` a new account is created; with it the profile joins that one', async () => {
    const { token } = await tokensFor(harness, 'demo-social', 'ben')
    const [one, two] = [await apply('demo-social', { token }), await apply('demo-social', { token })]
    assert.notEqual(one.body['account'], two.body['account'])
    const health = await tokensFor(harness, 'demo-health', 'ben')
    const joined = await apply('demo-health', { token: health.token, account: String(one.body['account']) })
    assert.equal(joined.body['account'], one.body['account'])
    const { body } = await get(harness, '/profiles', String(one.body['access_token']))
    assert.deepEqual(Object.keys(body), ['id', 'demo-health', 'demo-social'])
    assert.ok((await auditOf(harness, 'profile.link')).some(({ account_id: id }) => id === one.body['account']))
  })

  test('an account that is unknown, malformed, deleted or of another app returns 404', async () => {
    const { token } = await tokensFor(harness, 'demo-social', 'ada')
    const other = await signIn(harness, 'demo-social', 'ada', {}, await harness.makeApp())
    const deleted = await signIn(harness, 'demo-social', 'finn')
    await send(harness, 'DELETE', '/profiles', { token: deleted.access_token })
    for (const account of [other.account, deleted.account, 'nonsense', `zz${other.account.slice(2)}`])
      assertRefused(await apply('demo-social', { token, account }), 404, 'not_found')
    assert.deepEqual(Object.keys((await get(harness, '/profiles', other.access_token)).body), ['id', 'demo-social'])
  })

  test('a service that is unknown, or for which the app has no keys, is refused', async () => {
    assertRefused(await apply('nowhere', { token: 't' }), 404, 'service_unknown')
    assertRefused(await apply('bluesky', { token: 't' }), 404, 'no_service_keys')
  })

  test('missing parameters are named; a wrong secret is refused', async () => {
    for (const name of ['client_id', 'client_secret', 'token']) {
      const { [name]: _, ...form } = { ...keys(), token: 't' } as Record<string, string>
      const response = await send(harness, 'POST', '/auth/demo-social/apply', { form })
      assert.equal(response.status, 400)
      assert.match(String(response.body['error']), new RegExp(`^${name}: is missing`))
    }
    assertRefused(await apply('demo-social', { token: 't', client_secret: 'wrong' }), 401, 'app_secret_invalid')
  })

  test('a failure of the service is never a 500', async () => {
    const social = harness.lab.services['demo-social']
    const { token } = await tokensFor(harness, 'demo-social', 'ada')
    social.faults.add({ path: '/oauth/introspect', kind: 'status', status: 503 })
    assertRefused(await apply('demo-social', { token }), 502, 'service_unreachable')
    social.faults.add({ path: '/api/me', kind: 'reset' })
    assertRefused(await apply('demo-social', { token }), 502, 'service_unreachable')
    social.faults.add({ path: '/api/me', kind: 'truncated' })
    assertRefused(await apply('demo-social', { token }), 502, 'service_unreachable')
  })

  test('S26 only a valid token is accepted: none of another app or service, none expired, revoked or malformed', async () => {
    const other = await harness.makeApp()
    const { token: stolen } = await tokensFor(harness, 'demo-social', 'ada', other)
    assertRefused(await apply('demo-social', { token: stolen }), 401, 'service_refused')
    const health = await tokensFor(harness, 'demo-health', 'ada')
    assertRefused(await apply('demo-social', { token: health.token }), 401, 'service_refused')
    for (const token of ['nonsense', 'a b', 'é', 'x\r\ny', 'at-'])
      assert.equal((await apply('demo-social', { token })).status, 401, JSON.stringify(token))
    const { token: expired } = await tokensFor(harness, 'demo-social', 'chloe')
    harness.lab.services['demo-social'].tokens.expire('chloe')
    assertRefused(await apply('demo-social', { token: expired }), 401, 'service_refused')
    const { token: revoked } = await tokensFor(harness, 'demo-social', 'esra')
    harness.lab.services['demo-social'].tokens.revoke('esra')
    assertRefused(await apply('demo-social', { token: revoked }), 401, 'service_refused')
    const { token: good } = await tokensFor(harness, 'demo-social', 'esra')
    assert.equal((await apply('demo-social', { token: good })).status, 200)
    const stolenMicro = await tokensFor(harness, 'demo-micro', 'ada', other)
    const fields = { token: stolenMicro.token, token_secret: stolenMicro.token_secret! }
    assertRefused(await apply('demo-micro', fields), 401, 'service_refused')
  })
})

suite('F27 app_verified: whether the service issued the token to this app', () => {
  const verifying = { 'demo-social': true, 'demo-micro': true, 'demo-health': false } as const

  for (const [service, verified] of Object.entries(verifying) as [DemoService, boolean][]) {
    test(`${service}: ${verified ? 'is checked' : 'cannot be checked, and the response says so'}`, async () => {
      const { token, token_secret: tokenSecret } = await tokensFor(harness, service, 'ada')
      const given = { token, ...(tokenSecret === undefined ? {} : { token_secret: tokenSecret }) }
      assert.equal((await apply(service, given)).body['app_verified'], verified)
      const json = { ...keys(), accounts: [{ id: 'one', [service]: given }] }
      const batch = await send(harness, 'POST', '/auth/apply/batch', { json })
      assert.equal((batch.body['one'] as Record<string, unknown>)['app_verified'], verified)
      const stolen = await tokensFor(harness, service, 'ada', await harness.makeApp())
      const other = {
        token: stolen.token,
        ...(tokenSecret === undefined ? {} : { token_secret: stolen.token_secret! }),
      }
      assert.equal((await apply(service, other)).status, verified ? 401 : 200)
    })
  }

  test('GET /services says in advance whether it can be checked', async () => {
    const { body } = await send(harness, 'GET', '/services')
    const cards = body as Record<string, { apply: string }>
    for (const [service, verified] of Object.entries({
      ...verifying,
      github: true,
      facebook: true,
      x: false,
      strava: false,
      spotify: false,
      tumblr: false,
      flickr: true,
      foursquare: false,
      instagram: false,
      dropbox: false,
      twitch: true,
      mastodon: true,
      caldav: true,
      withings: false,
      oura: false,
      slack: false,
      google: true,
      bluesky: false,
    }))
      assert.equal(cards[service]?.apply, verified ? 'proven' : 'unproven', service)
  })

  test('one unverifiable token of a batch entry makes the whole entry unverified', async () => {
    const social = await tokensFor(harness, 'demo-social', 'ben')
    const health = await tokensFor(harness, 'demo-health', 'ben')
    const entry = { id: 'ben', 'demo-social': { token: social.token }, 'demo-health': { token: health.token } }
    const { body } = await send(harness, 'POST', '/auth/apply/batch', { json: { ...keys(), accounts: [entry] } })
    assert.equal((body['ben'] as Record<string, unknown>)['app_verified'], false)
  })
})

suite('an app that accepts only proven tokens', () => {
  test('is what a new app is; tokens of services that cannot prove it are refused, also in a batch', async () => {
    const { body: made } = await harness.tributary.admin('POST', '/admin/apps', {
      name: 'New',
      redirect_uris: ['https://new.test/'],
    })
    assert.equal((made as { apply: string }).apply, 'proven')
    const app = await harness.makeApp({ apply: 'proven' })
    const applyAs = async (service: 'demo-social' | 'demo-health') => {
      const form = { token: await serviceToken(harness, service, 'ada', app) }
      return send(harness, 'POST', `/auth/${service}/apply`, { form, headers: basic(app) })
    }
    assert.equal((await applyAs('demo-social')).status, 200)
    const { requests } = harness.lab.services['demo-health']
    const token = await serviceToken(harness, 'demo-health', 'ada', app)
    requests.clear()
    const before = await harness.sql('select 1 from account')
    assertRefused(
      await send(harness, 'POST', '/auth/demo-health/apply', { form: { token }, headers: basic(app) }),
      403,
      'app_unproven',
    )
    const json = { accounts: [{ id: 'ada', 'demo-health': { token } }] }
    const batch = await send(harness, 'POST', '/auth/apply/batch', { json, headers: basic(app) })
    assert.deepEqual(batch.body, { ada: { error: { 'demo-health': 'app_unproven' } } })
    // Workers may be syncing other profiles of the service, with other tokens.
    const withToken = requests.all.filter((request) => JSON.stringify(request).includes(token))
    assert.deepEqual(withToken, [], 'the token is not sent anywhere')
    assert.equal((await harness.sql('select 1 from account')).length, before.length)
  })

  test('can be changed by the operator; profiles that were applied before stay', async () => {
    const app = await harness.makeApp({ apply: 'any' })
    const form = { token: await serviceToken(harness, 'demo-health', 'ada', app) }
    const applied = await send(harness, 'POST', '/auth/demo-health/apply', { form, headers: basic(app) })
    const change = await harness.tributary.admin('PATCH', `/admin/apps/${app.clientId}`, { apply: 'proven' })
    assert.deepEqual([change.status, (change.body as { apply: string }).apply], [200, 'proven'])
    const refused = await send(harness, 'POST', '/auth/demo-health/apply', { form, headers: basic(app) })
    assertRefused(refused, 403, 'app_unproven')
    assert.equal((await get(harness, '/profiles', String(applied.body['access_token']))).status, 200)
    const { body } = await harness.tributary.admin('GET', `/admin/apps/${app.clientId}`)
    assert.equal((body as { apply: string }).apply, 'proven')
    const wrong = await harness.tributary.admin('PATCH', `/admin/apps/${app.clientId}`, { apply: 'all' })
    assert.equal(wrong.status, 400)
  })
})

test('an address that we refuse ourselves is not a refusal of the service', async () => {
  const app = await harness.makeApp()
  const token = await serviceToken(harness, 'demo-social', 'ada', app)
  await setKeys(harness.tributary, app, 'demo-social', {
    ...app.keys['demo-social']!,
    overrides: { base_url: 'http://10.255.255.1' },
  })
  const refused = await send(harness, 'POST', '/auth/demo-social/apply', { form: { token }, headers: basic(app) })
  assertRefused(refused, 502, 'address_refused')
  assert.match(String(refused.body['error']), /10\.255\.255\.1.*TRIBUTARY_ALLOW_PRIVATE/)
})

suite('POST /auth/apply/batch', () => {
  const batch = (accounts: unknown, options: RequestOptions = {}) =>
    send(harness, 'POST', '/auth/apply/batch', { json: { ...keys(), accounts }, ...options })
  type Entry = { account: string; access_token: string; profiles: string[]; errors?: object; error?: object }

  test('returns entries by the caller’s id; several services make one account', async () => {
    const tokens = async (service: DemoService) => {
      const { token, token_secret: tokenSecret } = await tokensFor(harness, service, 'ada')
      return { token, ...(tokenSecret === undefined ? {} : { token_secret: tokenSecret }) }
    }
    const response = await batch([
      { id: 'both', 'demo-social': await tokens('demo-social'), 'demo-micro': await tokens('demo-micro') },
      { id: 'half', 'demo-social': { token: 'bad' }, 'demo-health': await tokens('demo-health') },
      { id: 'none', 'demo-social': { token: 'bad' }, nowhere: { token: 'x' }, bluesky: { token: 'x' } },
      { id: 'empty' },
    ])
    assert.equal(response.status, 200)
    assert.deepEqual(Object.keys(response.body), ['both', 'half', 'none', 'empty'])
    const { both, half, none, empty } = response.body as Record<string, Entry>
    assert.equal(both!.profiles.length, 2)
    assert.equal('errors' in both!, false)
    const { body } = await get(harness, '/profiles', both!.access_token)
    assert.deepEqual(Object.keys(body), ['id', 'demo-micro', 'demo-social'])
    assert.equal(body['id'], both!.account)
    assert.deepEqual(half!.errors, { 'demo-social': 'service_refused' })
    assert.deepEqual(half!.profiles, [`${encodeURIComponent(nativeId(harness, 'demo-health', 'ada'))}@demo-health`])
    const errors = { 'demo-social': 'service_refused', nowhere: 'service_unknown', bluesky: 'no_service_keys' }
    assert.deepEqual(none, { error: errors })
    assert.deepEqual(empty, { error: 'The entry names no service.', reason: 'bad_body' })
  })

  test('accepts 1000 entries and refuses 1001', async () => {
    const many = (n: number) => Array.from({ length: n }, (_, i) => ({ id: `p${i}`, nowhere: { token: 't' } }))
    assertRefused(await batch(many(1001)), 400, 'bad_body')
    const response = await batch(many(1000))
    assert.equal(response.status, 200)
    assert.equal(Object.keys(response.body).length, 1000)
    assert.deepEqual((await batch([])).body, {})
  })

  test('names what is invalid and changes nothing', async () => {
    const { token } = await tokensFor(harness, 'demo-social', 'ada')
    const before = await harness.sql('select 1 from account')
    for (const accounts of [
      undefined,
      'x',
      [{ 'demo-social': { token } }],
      [{ id: '', 'demo-social': { token } }],
      [{ id: 'a', 'demo-social': token }],
      [{ id: 'a', 'demo-social': { token: '' } }],
      [{ id: 'a', 'demo-social': { token } }, { id: 'a' }],
    ])
      assertRefused(await batch(accounts), 400, 'bad_body')
    assert.equal((await harness.sql('select 1 from account')).length, before.length)
    const wrong = { json: { ...keys(), client_secret: 'wrong', accounts: [] } }
    assertRefused(await batch([], wrong), 401, 'app_secret_invalid')
  })
})
