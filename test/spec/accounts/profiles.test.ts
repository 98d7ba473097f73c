import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { basic } from '../../harness/app.ts'
import type { LabHarness } from '../../harness/lab.ts'
import { get, send } from '../../harness/send.ts'
import { type Granted, signIn } from '../../harness/sign-in.ts'
import { assertRefused, entryOf, nativeId, startQuietHarness } from '../sign-in/fixture.ts'

let harness: LabHarness
let ada: Granted
before(async () => {
  harness = await startQuietHarness()
  ada = await signIn(harness, 'demo-social', 'ada')
  await signIn(harness, 'demo-health', 'ada', { access_token: ada.access_token })
})
after(() => harness.stop())

const health = () => nativeId(harness, 'demo-health', 'ada')
const social = () => nativeId(harness, 'demo-social', 'ada')

suite('GET /profiles', () => {
  test('maps services to lists of native ids, percent-encoded', async () => {
    const { status, body } = await get(harness, '/profiles', ada.access_token)
    assert.equal(status, 200)
    assert.match(health(), /@/, 'this service has ids that need encoding')
    assert.deepEqual(body, {
      id: ada.account,
      'demo-health': [encodeURIComponent(health())],
      'demo-social': [social()],
    })
  })

  test('accepts the token in the query, as Bearer, or as both if they agree', async () => {
    const request = (query: Record<string, string>, headers: Record<string, string> = {}) =>
      send(harness, 'GET', '/profiles', { query, headers })
    const token = ada.access_token
    assert.equal((await request({ access_token: token })).status, 200)
    assert.equal((await request({}, { authorization: `bearer ${token}` })).status, 200)
    assert.equal((await request({ access_token: token }, { authorization: `Bearer ${token}` })).status, 200)
    const other = await signIn(harness, 'demo-social', 'ben')
    assertRefused(
      await request({ access_token: token }, { authorization: `Bearer ${other.access_token}` }),
      400,
      'token_conflict',
    )
    assertRefused(await request({}), 401, 'token_missing')
    assertRefused(await request({ access_token: '' }), 401, 'token_missing')
    assertRefused(await request({ access_token: 'nonsense' }), 401, 'token_invalid')
    assertRefused(
      await request({}, { authorization: `Bearer ${token.slice(0, -1)}${token.endsWith('x') ? 'y' : 'x'}` }),
      401,
      'token_invalid',
    )
    assert.equal((await request({})).headers.get('www-authenticate'), 'Bearer realm="tributary"')
  })

  test('full=true returns objects with the record of the service', async () => {
    const { body } = await get(harness, '/profiles?full=true', ada.access_token)
    const { connected_at: connectedAt, data, ...entry } = entryOf(body, 'demo-social')
    assert.deepEqual(entry, {
      id: social(),
      service: 'demo-social',
      profile: `${social()}@demo-social`,
      name: 'Ada Marlowe',
      handle: 'ada',
      email: 'ada@people.test',
      url: entry['url'],
      photo: entry['photo'],
      state: 'active',
      scope: entry['scope'],
    })
    assert.ok(typeof connectedAt === 'number' && Math.abs(connectedAt - Date.now()) < 60_000)
    assert.equal((data as { bio: string }).bio, 'Bridges, bread and bad puns.')
    assert.equal(entryOf(body, 'demo-health')['profile'], `${encodeURIComponent(health())}@demo-health`)
  })

  test('auth=true also requires the app’s secret, in any of three ways', async () => {
    const { clientId, secret } = harness.app
    const token = ada.access_token
    const request = (query: Record<string, string>, headers: Record<string, string> = {}) =>
      send(harness, 'GET', '/profiles', { query: { auth: 'true', ...query }, headers })
    const bearer = { authorization: `Bearer ${token}` }
    assert.equal((await request({}, bearer)).status, 400)
    assert.equal((await request({ client_id: clientId }, bearer)).status, 400)
    assertRefused(await request({ client_id: clientId, client_secret: 'wrong' }, bearer), 401, 'app_secret_invalid')
    const other = await harness.makeApp()
    const foreign = { client_id: other.clientId, client_secret: other.secret }
    assertRefused(await request(foreign, bearer), 401, 'app_secret_invalid')
    for (const response of [
      await request({ client_id: clientId, client_secret: secret }, bearer),
      await request({ client_id: clientId, client_secret: secret, access_token: token }),
      await request({ access_token: token }, basic(harness.app)),
    ]) {
      assert.equal(response.status, 200)
      assert.match(entryOf(response.body, 'demo-social').auth.token, /^at-/)
      assert.equal('data' in entryOf(response.body, 'demo-social'), false)
      assert.equal(response.headers.get('cache-control'), 'no-store')
    }
  })

  test('a flag that is neither true nor false is named', async () => {
    const response = await send(harness, 'GET', '/profiles', { token: ada.access_token, query: { full: 'maybe' } })
    assertRefused(response, 400, 'bad_parameter')
    assert.match(String(response.body['error']), /^full: /)
    assert.equal((await get(harness, '/profiles?full=no&auth=0', ada.access_token)).status, 200)
  })

  test('/v0 returns the same', async () => {
    const plain = await get(harness, '/profiles', ada.access_token)
    assert.deepEqual((await get(harness, '/v0/profiles', ada.access_token)).body, plain.body)
  })
})

suite('GET /profile', () => {
  test('combines all profiles into one person', async () => {
    const { body } = await get(harness, '/profile', ada.access_token)
    const { services, url, thumbnail_url: photo, ...person } = body
    assert.deepEqual(person, {
      id: ada.account,
      name: 'Ada Marlowe',
      email: 'ada@people.test',
      handle: 'ada',
      description: 'Bridges, bread and bad puns.',
      location: 'Lisbon',
    })
    assert.ok(URL.canParse(String(url)) && URL.canParse(String(photo)))
    assert.deepEqual(Object.keys(services as object), ['demo-health', 'demo-social'])
    assert.equal((services as Record<string, { id: string }>)['demo-health']?.id, encodeURIComponent(health()))
  })

  test('omits unknown fields', async () => {
    const dmitri = await signIn(harness, 'demo-social', 'dmitri')
    assert.equal('email' in (await get(harness, '/profile', dmitri.access_token)).body, false)
  })
})

suite('GET /profiles/:service', () => {
  test('returns the profile’s own item, by service or by id@service', async () => {
    const byService = await get(harness, '/profiles/demo-social', ada.access_token)
    assert.equal(byService.status, 200)
    assert.deepEqual(byService.body['types'], { profile: true })
    assert.equal((byService.body['data'] as { id: string }).id, social())
    assert.equal(byService.body['idr'], `profile:${social()}@demo-social/self#${social()}`)
    const byId = await get(harness, `/profiles/${social()}@demo-social`, ada.access_token)
    assert.deepEqual(byId.body, byService.body)
    const encoded = `/profiles/${encodeURIComponent(`${encodeURIComponent(health())}@demo-health`)}`
    assert.equal((await get(harness, encoded, ada.access_token)).status, 200)
  })

  test('`at` is the first sign-in, `updated` the last one that changed the record', async () => {
    const app = await harness.makeApp()
    const times = async ({ access_token: token }: Granted) => {
      const { at, updated } = (await get(harness, '/profiles/demo-social', token)).body
      return { at, updated }
    }
    const first = await signIn(harness, 'demo-social', 'ada', {}, app)
    const before = await times(first)
    assert.equal(before.at, before.updated)
    await harness.sql('update profile set updated_at = 5 where account_id = $1', [first.account])
    assert.deepEqual(await times(await signIn(harness, 'demo-social', 'ada', {}, app)), { at: before.at, updated: 5 })
    await harness.sql(`update profile set data = '{}' where account_id = $1`, [first.account])
    const after = await times(await signIn(harness, 'demo-social', 'ada', {}, app))
    assert.equal(after.at, before.at)
    assert.ok(Number(after.updated) > Number(before.updated))
  })

  test('a record that an older release stored counts as changed when it was connected', async () => {
    const granted = await signIn(harness, 'demo-micro', 'ada', {}, await harness.makeApp())
    const [row] = await harness.sql<{ connected_at: string }>(
      'update profile set updated_at = null where account_id = $1 returning connected_at',
      [granted.account],
    )
    const { body } = await get(harness, '/profiles/demo-micro', granted.access_token)
    assert.equal(body['updated'], Number(row?.connected_at))
  })

  test('accepts an id with an at sign encoded or not', async () => {
    for (const name of [`${encodeURIComponent(health())}@demo-health`, `${health()}@demo-health`])
      assert.equal((await get(harness, `/profiles/${name}`, ada.access_token)).status, 200, name)
  })

  test('matches neither substrings nor other services', async () => {
    for (const name of [
      'demo',
      'demo-soc',
      'social',
      'demo-micro',
      `${social().slice(1)}@demo-social`,
      '@demo-social',
      `${social()}@demo`,
      'DEMO-SOCIAL',
      '%25zz@demo-social',
    ])
      assertRefused(await send(harness, 'GET', `/profiles/${name}`, { token: ada.access_token }), 404, 'no_profile')
  })
})
