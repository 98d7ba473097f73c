import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { LabHarness } from '../../harness/lab.ts'
import { countProfiles } from '../../harness/profiles.ts'
import { get, send } from '../../harness/send.ts'
import { newBrowser, REDIRECT, redeem, signIn, walk } from '../../harness/sign-in.ts'
import { auditOf, nativeId, startQuietHarness } from './fixture.ts'

const SERVICES = ['demo-social', 'demo-micro', 'demo-health'] as const

suite('sign-in', () => {
  let harness: LabHarness
  before(async () => {
    harness = await startQuietHarness()
  })
  after(() => harness.stop())

  for (const service of SERVICES) {
    test(`a first sign-in at ${service} creates an account with one profile`, async () => {
      const granted = await signIn(harness, service, 'ada')
      const { status, body } = await get(harness, '/profiles', granted.access_token)
      assert.equal(status, 200)
      assert.deepEqual(body, {
        id: granted.account,
        [service]: [encodeURIComponent(nativeId(harness, service, 'ada'))],
      })
    })

    test(`signing in again at ${service} finds the same account and returns a new token`, async () => {
      const first = await signIn(harness, service, 'ben')
      const again = await signIn(harness, service, 'ben')
      assert.equal(again.account, first.account)
      assert.notEqual(again.access_token, first.access_token)
      for (const { access_token: token } of [first, again])
        assert.equal((await get(harness, '/profiles', token)).body['id'], first.account)
    })

    test(`a denial at ${service} returns an error with the state, and nothing is created`, async () => {
      const accounts = await harness.sql('select 1 from account')
      const back = await walk(harness.startUrl(service, { state: 'a b&c' }), { person: 'chloe', decision: 'deny' })
      assert.equal(back.origin + back.pathname, REDIRECT)
      assert.deepEqual([...back.searchParams.keys()], ['error', 'error_description', 'state', 'iss'])
      assert.deepEqual([back.searchParams.get('error'), back.searchParams.get('state')], ['access_denied', 'a b&c'])
      assert.equal((await harness.sql('select 1 from account')).length, accounts.length)
    })
  }

  test('different people never share an account', async () => {
    const [ada, finn] = [await signIn(harness, 'demo-social', 'ada'), await signIn(harness, 'demo-social', 'finn')]
    assert.notEqual(ada.account, finn.account)
  })

  test('two apps never share an account', async () => {
    const other = await harness.makeApp()
    const [first, second] = [
      await signIn(harness, 'demo-social', 'ada'),
      await signIn(harness, 'demo-social', 'ada', {}, other),
    ]
    assert.notEqual(first.account, second.account)
  })

  test('two concurrent first sign-ins of one person end in one account', async () => {
    const app = await harness.makeApp()
    const granted = await Promise.all(Array.from({ length: 6 }, () => signIn(harness, 'demo-social', 'esra', {}, app)))
    assert.equal(new Set(granted.map(({ account }) => account)).size, 1)
    assert.equal(new Set(granted.map(({ access_token: token }) => token)).size, 6)
  })

  test('/oauth/authorize, /v0 and redirect_url are aliases', async () => {
    for (const path of ['/oauth/authorize', '/v0/oauth/authenticate', '/v0/oauth/authorize']) {
      const back = await walk(harness.startUrl('demo-social', { state: 's' }).replace('/oauth/authenticate', path), {
        person: 'ada',
      })
      assert.match(back.searchParams.get('code') ?? '', /^trc_/)
      assert.equal(back.searchParams.get('state'), 's')
    }
    const spelled = harness.startUrl('demo-social').replace('redirect_uri=', 'redirect_url=')
    assert.ok((await walk(spelled, { person: 'ada' })).searchParams.has('code'))
  })

  test('without a state none is returned', async () => {
    const back = await walk(harness.startUrl('demo-social'), { person: 'ada' })
    assert.deepEqual([...back.searchParams.keys()], ['code', 'iss'])
    assert.equal(back.hash, '')
  })

  test('a parameter without a value counts as absent (RFC 6749 3.1)', async () => {
    const empty = {
      state: '',
      scope: '',
      access_token: '',
      flag: '',
      response_type: '',
      force_login: '',
      code_challenge: '',
    }
    const back = await walk(harness.startUrl('demo-social', empty), { person: 'ada' })
    assert.deepEqual([...back.searchParams.keys()], ['code', 'iss'])
  })

  test('the registered address keeps its own query', async () => {
    const redirect = `${REDIRECT}?tenant=7&x=%20y`
    const app = await harness.makeApp({ redirectUris: [redirect] })
    const back = await walk(harness.startUrl('demo-social', { redirect_uri: redirect }, app), { person: 'ada' })
    assert.match(back.href, /^http:\/\/localhost:4999\/back\?tenant=7&x=%20y&code=trc_[0-9a-z]+&iss=[^&]+$/)
  })

  test('a sign-in takes effect when its code is redeemed, not before', async () => {
    const app = await harness.makeApp()
    const back = await walk(harness.startUrl('demo-social', {}, app), { person: 'dmitri' })
    assert.deepEqual(await harness.sql('select 1 from account where app_id = $1', [app.clientId]), [])
    assert.equal(await countProfiles(harness.sql, { app: app.clientId }), 0)
    assert.equal((await redeem(harness, back.searchParams.get('code')!, {}, app)).status, 200)
    assert.equal(await countProfiles(harness.sql, { app: app.clientId }), 1)
    const [entry] = (await auditOf(harness, 'profile.connect')).filter(({ app_id: id }) => id === app.clientId)
    assert.equal(entry?.detail['service'], 'demo-social')
    assert.equal(entry?.actor, `app:${app.clientId}`)
  })

  test('two parallel sign-ins in one browser both finish', async () => {
    const browser = newBrowser()
    const social = await browser.open(harness.startUrl('demo-social', { state: 'one' }))
    const micro = await browser.open(harness.startUrl('demo-micro', { state: 'two' }))
    const finish = async (page: typeof social) => {
      const consented = await browser.decide(await browser.login(page, 'ada'), 'allow')
      return new URL(consented.url).searchParams.get('state')
    }
    assert.deepEqual([await finish(micro), await finish(social)], ['two', 'one'])
  })
})

suite('parameters of the app that reach the service', () => {
  let harness: LabHarness
  before(async () => {
    harness = await startQuietHarness()
  })
  after(() => harness.stop())

  const location = async (service: string, query: Record<string, string> = {}) => {
    const response = await send(harness, 'GET', harness.startUrl(service, query).slice(harness.tributary.url.length))
    assert.equal(response.status, 302)
    return new URL(response.headers.get('location')!)
  }

  test('the scope is passed on unchanged, and the granted scope is returned', async () => {
    assert.equal((await location('demo-social')).searchParams.get('scope')?.split(' ').length, 6)
    const url = await location('demo-social', { scope: 'profile posts.write' })
    assert.equal(url.searchParams.get('scope'), 'profile posts.write')
    assert.equal(
      (await location('demo-health', { scope: 'profile,measures' })).searchParams.get('scope'),
      'profile,measures',
    )
    const granted = await signIn(harness, 'demo-social', 'ada', { scope: 'profile email' })
    const { body } = await get(harness, '/profiles?full=true', granted.access_token)
    assert.equal((body['demo-social'] as { scope: string }[])[0]?.scope, 'profile email')
  })

  test('the scope of the app’s service keys replaces the service’s default', async () => {
    const app = await harness.makeApp()
    const { key, secret } = app.keys['demo-social']!
    const overrides = { base_url: harness.lab.services['demo-social'].url }
    const body = { key, secret, scope: 'profile photos.read', overrides }
    await harness.tributary.admin('PUT', `/admin/apps/${app.clientId}/keys/demo-social`, body)
    const url = harness.startUrl('demo-social', {}, app).slice(harness.tributary.url.length)
    const to = new URL((await send(harness, 'GET', url)).headers.get('location')!)
    assert.equal(to.searchParams.get('scope'), 'profile photos.read')
  })

  test('a scope that the service refuses returns an error', async () => {
    const back = await walk(harness.startUrl('demo-social', { scope: 'everything', state: 's' }), { person: 'ada' })
    assert.deepEqual([back.searchParams.get('error'), back.searchParams.get('state')], ['service_refused', 's'])
  })

  test('flag=dm uses the alternative page of a service that has one, and is ignored elsewhere', async () => {
    assert.equal((await location('demo-micro')).pathname, '/oauth/authenticate')
    assert.equal((await location('demo-micro', { flag: 'dm' })).pathname, '/oauth/authorize')
    assert.equal((await location('demo-micro', { flag: 'other' })).pathname, '/oauth/authenticate')
    assert.equal((await location('demo-social', { flag: 'dm' })).searchParams.has('flag'), false)
  })

  test('GET /services says where force_login and flag have an effect', async () => {
    const { body } = await send(harness, 'GET', '/services')
    const cards = body as Record<string, { force_login: boolean; flags: string[] }>
    const forced = Object.keys(cards).filter((service) => cards[service]!.force_login)
    assert.deepEqual(
      [
        'bluesky',
        'demo-health',
        'demo-micro',
        'demo-social',
        'dropbox',
        'facebook',
        'github',
        'google',
        'instagram',
        'mastodon',
        'spotify',
        'twitch',
      ],
      forced.filter((service) => !['oidc', 'oauthlib'].includes(service)).sort(),
    )
    for (const service of ['x', 'tumblr', 'foursquare']) assert.equal(cards[service]!.force_login, false, service)
    assert.deepEqual([cards['x']!.flags, cards['github']!.flags], [['dm', 'email'], []])
  })

  test('force_login requests a new login in the way of each service', async () => {
    assert.equal((await location('demo-micro', { force_login: 'true' })).searchParams.get('force_login'), 'true')
    assert.equal((await location('demo-social', { force_login: 'yes' })).searchParams.get('prompt'), 'login')
    assert.equal((await location('demo-social', { force_login: 'false' })).searchParams.has('prompt'), false)
    assert.equal((await location('demo-micro')).searchParams.has('force_login'), false)
    const browser = newBrowser()
    await walk(harness.startUrl('demo-social'), { person: 'ada' }, browser)
    const known = await browser.open(harness.startUrl('demo-social'))
    assert.ok(
      known.forms.some(({ id }) => id === 'consent'),
      'the service knows the person',
    )
    const forced = await browser.open(harness.startUrl('demo-social', { force_login: '1' }))
    assert.ok(
      forced.forms.some(({ id }) => id === 'password-login'),
      'the service shows its login page again',
    )
  })

  test('each sign-in sends the app’s own key, PKCE and a fresh state', async () => {
    const [one, two] = [await location('demo-social'), await location('demo-social')]
    for (const to of [one, two]) {
      assert.equal(to.searchParams.get('client_id'), harness.app.keys['demo-social']!.key)
      assert.equal(to.searchParams.get('redirect_uri'), harness.app.keys['demo-social']!.callback)
      assert.equal(to.searchParams.get('code_challenge_method'), 'S256')
      assert.match(to.searchParams.get('state') ?? '', /^[0-9a-z]{52}$/)
    }
    for (const name of ['state', 'code_challenge'])
      assert.notEqual(one.searchParams.get(name), two.searchParams.get(name))
  })
})
