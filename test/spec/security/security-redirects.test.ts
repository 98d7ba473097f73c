import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { LabApp, LabHarness } from '../../harness/lab.ts'
import { send } from '../../harness/send.ts'
import { startQuietHarness } from '../sign-in/fixture.ts'

const REGISTERED = 'https://app.example.com/signin/back'
const WITH_QUERY = 'https://app.example.com/q?tenant=1'
const NATIVE = 'http://127.0.0.1:5000/native'
const CUSTOM = 'com.example.app:/oauth'

let harness: LabHarness
let app: LabApp
before(async () => {
  harness = await startQuietHarness()
  app = await harness.makeApp({ redirectUris: [REGISTERED, WITH_QUERY, NATIVE, CUSTOM], services: ['demo-social'] })
})
after(() => harness.stop())

/** Addresses that resemble a registered one. */
const MUTATIONS: string[] = [
  'https://APP.example.com/signin/back',
  'https://app.example.com/SIGNIN/back',
  'HTTPS://app.example.com/signin/back',
  'http://app.example.com/signin/back',
  'https://app.example.com/signin/back/',
  'https://app.example.com/signin/back//',
  'https://app.example.com//signin/back',
  'https://app.example.com/signin/./back',
  'https://app.example.com/signin/x/../back',
  'https://app.example.com/signin/back/..',
  'https://app.example.com/signin/back/../../evil',
  'https://app.example.com/signin%2Fback',
  'https://app.example.com/signin/%62ack',
  'https://app.example.com/%73ignin/back',
  'https://app.example.com/signin/back%2F..',
  'https://app.example.com/signin/%2e%2e/signin/back',
  'https://app.example.com/signin\\back',
  'https:\\\\app.example.com\\signin\\back',
  'https:/app.example.com/signin/back',
  'https:///app.example.com/signin/back',
  'https:app.example.com/signin/back',
  '//app.example.com/signin/back',
  '/signin/back',
  'https://app.example.com:443/signin/back',
  'https://app.example.com:8443/signin/back',
  'https://app.example.com:/signin/back',
  'https://app.example.com./signin/back',
  'https://app.example.com.evil.test/signin/back',
  'https://evil.test/app.example.com/signin/back',
  'https://evil-app.example.com/signin/back',
  'https://sub.app.example.com/signin/back',
  'https://example.com/signin/back',
  'https://xapp.example.com/signin/back',
  'https://user@app.example.com/signin/back',
  'https://user:pass@app.example.com/signin/back',
  'https://app.example.com@evil.test/signin/back',
  'https://app.example.com%40evil.test/signin/back',
  'https://app.example.com\\@evil.test/signin/back',
  'https://app.example.com&@evil.test/signin/back',
  'https://app.example.com#@evil.test/signin/back',
  'https://app.example.com?@evil.test/signin/back',
  'https://app.example.com/signin/back#',
  'https://app.example.com/signin/back#x',
  'https://app.example.com/signin/back?',
  'https://app.example.com/signin/back?x=1',
  'https://app.example.com/signin/back&x=1',
  'https://app.example.com/signin/back;x=1',
  'https://app.example.com/signin/back%00',
  'https://app.example.com/signin/back%0d%0aSet-Cookie:x',
  'https://app.example.com/signin/back\t',
  'https://app.example.com/signin/\tback',
  ' https://app.example.com/signin/back',
  'https://app.example.com/signin/back ',
  'https://app.example.com/signin/back\r\n',
  'https://аpp.example.com/signin/back',
  'https://xn--pp-6kc.example.com/signin/back',
  'https://app.example.com/signin/back\u200b',
  'https://app。example.com/signin/back',
  'https://[::1]/signin/back',
  'https://app.example.com/*',
  'https://app.example.com/signin/bac',
  'https://app.example.com/',
  'https://app.example.com/q',
  'https://app.example.com/q?tenant=2',
  'https://app.example.com/q?tenant=1&tenant=2',
  'https://app.example.com/q?x=2&tenant=1',
  'javascript:alert(1)//https://app.example.com/signin/back',
  'data:text/html,https://app.example.com/signin/back',
  'http://127.0.0.1:5000/native/',
  'http://127.0.0.1:5000/other',
  'http://127.0.0.2:5000/native',
  'http://localhost:5000/native',
  'http://[::1]:5000/native',
  'http://0177.0.0.1:5000/native',
  'http://127.1:5000/native',
  'http://127.0.0.1:5000@evil.test/native',
  'http://127.0.0.1:99999/native',
  'http://127.0.0.1:5000.evil.test/native',
  'http://127.0.0.1.evil.test:5000/native',
  'https://127.0.0.1:5000/native',
  'http://127.0.0.1:5000/native?x',
  'http://127.0.0.1:5000\\native',
  'com.example.app:/oauth/',
  'com.example.app://oauth',
  'com.example.application:/oauth',
  'COM.example.app:/oauth',
]

const request = (redirectUri: string, more: Record<string, string> = {}) =>
  send(harness, 'GET', '/oauth/authenticate', {
    query: { client_id: app.clientId, service: 'demo-social', redirect_uri: redirectUri, ...more },
    headers: { accept: 'text/html' },
  })

suite('S07 redirect addresses', () => {
  test('registered addresses, and a loopback address with another port, are accepted', async () => {
    for (const uri of [
      REGISTERED,
      WITH_QUERY,
      NATIVE,
      CUSTOM,
      'http://127.0.0.1:61234/native',
      'http://127.0.0.1/native',
    ]) {
      const response = await request(uri)
      assert.equal(response.status, 302, uri)
      assert.ok(response.headers.get('location')!.startsWith(harness.lab.services['demo-social'].url))
    }
  })

  test(`${MUTATIONS.length} mutations: no redirect, an error page`, async () => {
    assert.ok(MUTATIONS.length >= 60)
    assert.equal(new Set(MUTATIONS).size, MUTATIONS.length)
    for (const uri of MUTATIONS) {
      // Also with an error that would otherwise be reported by redirect.
      for (const more of [{}, { service: 'nowhere' }, { response_type: 'token' }] as Record<string, string>[]) {
        const response = await request(uri, more)
        assert.equal(response.status, 400, uri)
        assert.equal(response.headers.get('location'), null, uri)
        assert.match(response.headers.get('content-type') ?? '', /^text\/html/)
      }
    }
  })

  test('the address of another app is refused', async () => {
    const other = await harness.makeApp({ redirectUris: ['https://other.example.com/'], services: ['demo-social'] })
    const query = { client_id: other.clientId, service: 'demo-social', redirect_uri: REGISTERED }
    assert.equal((await send(harness, 'GET', '/oauth/authenticate', { query })).status, 400)
  })

  test('no mutation redeems a code', async () => {
    const form = { client_id: app.clientId, client_secret: app.secret, code: 'trc_00x', redirect_uri: MUTATIONS[0]! }
    assert.equal((await send(harness, 'POST', '/oauth/access_token', { form })).status, 400)
  })
})

suite('S08 parameters cannot be repeated', () => {
  test('an address with a parameter of our response cannot be registered', async () => {
    for (const name of ['code', 'state', 'error', 'access_token', 'iss']) {
      const uris = [`https://app.example.com/?${name}=1`, `https://app.example.com/?x=1&${name}`]
      for (const uri of uris) {
        const made = await harness.tributary.admin('POST', '/admin/apps', { name: 'N', redirect_uris: [uri] })
        assert.equal(made.status, 400, uri)
      }
    }
  })

  test('a repeated parameter is refused', async () => {
    const good = new URLSearchParams({
      client_id: app.clientId,
      redirect_uri: REGISTERED,
      service: 'demo-social',
      state: 's',
    })
    for (const name of [
      'client_id',
      'redirect_uri',
      'service',
      'state',
      'scope',
      'response_type',
      'access_token',
      'code_challenge',
    ]) {
      const query = new URLSearchParams(good)
      query.append(name, good.get(name) ?? 'a')
      query.append(name, 'https://evil.test/')
      const response = await send(harness, 'GET', `/oauth/authenticate?${query.toString()}`)
      const location = response.headers.get('location')
      if (name === 'client_id' || name === 'redirect_uri') {
        assert.deepEqual([response.status, location], [400, null], name)
        assert.match(String(response.body['error']), new RegExp(`^${name}: was given more than once`))
        continue
      }
      assert.ok(location?.startsWith(`${REGISTERED}?`) && !location.includes('evil.test'), `${name}: ${location}`)
      const { searchParams } = new URL(String(location))
      assert.equal(searchParams.get('error'), 'invalid_request')
      assert.equal(searchParams.get('error_description'), `${name}: was given more than once.`)
    }
  })

  test('redirect_uri and redirect_url that differ are refused', async () => {
    const response = await request(REGISTERED, { redirect_url: 'https://evil.test/' })
    assert.equal(response.headers.get('location')?.includes('evil.test') ?? false, false)
  })
})
