import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { github } from '#connectors/github/connector.ts'
import { google } from '#connectors/google/connector.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { plain } from './connectors.ts'
import { type Connecting, type ProxyHarness, startProxyHarness, TOKEN } from './fixture.ts'
import { OK, type RawUpstream, startRawUpstream } from './raw-upstream.ts'

// An operator moves a service to an instance; what belongs to the instance is never sent to the vendor.

let instance: RawUpstream
let vendor: RawUpstream
let uploads: RawUpstream
let harness: ProxyHarness
before(async () => {
  instance = await startRawUpstream()
  vendor = await startRawUpstream()
  uploads = await startRawUpstream()
  const movable = defineConnector({
    ...plain,
    service: 'movable',
    aliases: [],
    api: { ...plain.api, baseUrl: `${vendor.url}/v1`, hosts: [uploads.url, 'https://*.vendor.example'] },
  })
  harness = await startProxyHarness({ connectors: [github, google, movable] })
})
after(async () => {
  await harness.stop()
  for (const each of [instance, vendor, uploads]) await each.close()
})
beforeEach(() => {
  for (const each of [instance, vendor, uploads]) {
    each.requests.length = 0
    each.response = OK
  }
})

let people = 100
async function caller(service: string, connecting: Omit<Connecting, 'service' | 'nativeId'>) {
  people += 1
  const { token } = await harness.connect({ service, nativeId: String(people), ...connecting })
  return async (path: string) => {
    const response = await fetch(`${harness.url}/proxy/${service}/${path}`, {
      redirect: 'manual',
      headers: { authorization: `Bearer ${token}` },
    })
    return { status: response.status, text: await response.text(), headers: response.headers }
  }
}
const received = ({ requests }: RawUpstream) => requests.map((request) => request.split(' ', 2)[1])
const assertVendorUntouched = () => assert.deepEqual([vendor.connections(), uploads.connections()], [0, 0])

suite('GitHub Enterprise Server, with api_url alone', () => {
  test('has its uploads below its own host', async () => {
    const call = await caller('github', { apiUrl: `${instance.url}/api/v3` })
    for (const path of [
      'user',
      'https://uploads.github.com/repos/a/b/releases/1/assets?name=x',
      `${instance.url}/api/uploads/repos/a/b/releases/1/assets`,
      `${instance.url}/api/v3/user`,
      'https://api.github.com/user/repos?page=2',
    ])
      assert.equal((await call(path)).status, 200, path)
    assert.deepEqual(received(instance), [
      '/api/v3/user',
      '/api/uploads/repos/a/b/releases/1/assets?name=x',
      '/api/uploads/repos/a/b/releases/1/assets',
      '/api/v3/user',
      '/api/v3/user/repos?page=2',
    ])
    for (const request of instance.requests)
      assert.match(request, new RegExp(`^authorization: Bearer ${TOKEN}\r$`, 'im'))
  })

  test('is not called elsewhere on that host, and no other host is', async () => {
    const call = await caller('github', { apiUrl: `${instance.url}/api/v3` })
    for (const path of [
      `${instance.url}/login/oauth/access_token`,
      `${instance.url}/api/uploads`,
      `${instance.url}/api/uploads/../v3x`,
      `${instance.url}/api/uploads/%2e%2e/v3x`,
      `${instance.url}/api/uploadsx/y`,
      'https://uploads.github.com/%252e%252e/x',
      'https://github.com/login/oauth/access_token',
      'https://raw.githubusercontent.com/a/b',
    ])
      assert.equal((await call(path)).status, 400, path)
    assert.deepEqual(received(instance), [])
    const { text } = await call('https://evil.example/x')
    assert.match(text, new RegExp(`${instance.url}, https://api\\.github\\.com, https://uploads\\.github\\.com\\.`))
  })

  test('links to its uploads lead back, and can be followed', async () => {
    const call = await caller('github', { apiUrl: `${instance.url}/api/v3` })
    instance.response = `HTTP/1.1 201 Created\r\nLocation: ${instance.url}/api/uploads/x/1\r\nContent-Length: 0\r\n\r\n`
    const location = (await call('x')).headers.get('location')
    assert.equal(location, `http://localhost/proxy/github/${instance.url}/api/uploads/x/1`)
    instance.response = OK
    assert.equal((await call(location.slice('http://localhost/proxy/github/'.length))).status, 200)
    assert.equal(received(instance).at(-1), '/api/uploads/x/1')
  })
})

suite('a service at another address', () => {
  for (const [name, address, root] of [
    ['api_url', '/deep/v1', ''],
    ['base_url', '/deep', '/deep'],
    ['token_url', '/token', ''],
  ] as const)
    test(`by ${name} has its further hosts there, with the same paths`, async () => {
      const call = await caller('movable', { overrides: { [name]: instance.url + address } })
      for (const path of ['me', `${uploads.url}/up/1`, 'https://any.vendor.example/x?a=1', `${vendor.url}/v1/me`])
        assert.equal((await call(path)).status, 200, path)
      const me = name === 'token_url' ? '/v1/me' : '/deep/v1/me'
      assert.deepEqual(received(instance), [me, `${root}/up/1`, `${root}/x?a=1`, me])
      assertVendorUntouched()
    })

  test('is not left where the instance names hosts of the vendor', async () => {
    const call = await caller('movable', { apiUrl: `${instance.url}/v1` })
    for (const url of [`${vendor.url}/v1/me`, `${uploads.url}/x`]) {
      instance.response = `HTTP/1.1 302 Found\r\nLocation: ${url}\r\nContent-Length: 0\r\n\r\n`
      assert.equal((await call('me')).status, 302)
    }
    instance.response = `HTTP/1.1 200 OK\r\nLink: <${uploads.url}/x?page=2>; rel="next"\r\nContent-Length: 0\r\n\r\n`
    const [, next = ''] =
      /<http:\/\/localhost\/proxy\/movable\/(.+)>; rel="next"/.exec((await call('me')).headers.get('link') ?? '') ?? []
    assert.equal((await call(next)).status, 200)
    assert.equal(received(instance).at(-1), '/x?page=2')
    assertVendorUntouched()
  })

  test('of one person has none of the hosts of the vendor', async () => {
    const call = await caller('movable', {
      apiUrl: `${vendor.url}/v1`,
      credential: { token: TOKEN, instance: { api_url: `${instance.url}/v1` } },
    })
    assert.equal((await call('me')).status, 200)
    for (const path of [`${uploads.url}/x`, `${vendor.url}/v1/me`, 'https://any.vendor.example/x']) {
      const { status, text } = await call(path)
      assert.equal(status, 400, path)
      assert.match(text, new RegExp(`for this service: ${instance.url}\\.`))
    }
    assert.deepEqual(received(instance), ['/v1/me'])
    assertVendorUntouched()
  })
})

suite('Google at another address', () => {
  test('has every API there', async () => {
    const call = await caller('google', { apiUrl: instance.url })
    for (const path of [
      'calendar/v3/users/me/calendarList',
      'v1/people/me/connections',
      'https://sheets.googleapis.com/v4/spreadsheets/1',
      'https://www.googleapis.com/upload/drive/v3/files',
    ])
      assert.equal((await call(path)).status, 200, path)
    assert.deepEqual(received(instance), [
      '/calendar/v3/users/me/calendarList',
      '/v1/people/me/connections',
      '/v4/spreadsheets/1',
      '/upload/drive/v3/files',
    ])
    assert.equal((await call('https://a.b.googleapis.com/x')).status, 400)
    assert.equal((await call('https://googleapis.com/x')).status, 400)
  })
})
