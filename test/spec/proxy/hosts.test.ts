import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { defineConnector } from '#kit/connector/connector.ts'
import { exchange } from '../operating/raw-http.ts'
import { plain } from './connectors.ts'
import { type ProxyHarness, startProxyHarness, TOKEN } from './fixture.ts'
import { OK, type RawUpstream, startRawUpstream } from './raw-upstream.ts'

let api: RawUpstream
let uploads: RawUpstream
let foreign: RawUpstream
let harness: ProxyHarness
let token: string
before(async () => {
  api = await startRawUpstream()
  uploads = await startRawUpstream()
  foreign = await startRawUpstream()
  const duplicate = defineConnector({
    ...plain,
    service: 'twin',
    aliases: [],
    api: { ...plain.api, baseUrl: `${api.url}/v1`, hosts: [uploads.url] },
  })
  harness = await startProxyHarness({ connectors: [duplicate] })
  token = (await harness.connect({ service: 'twin', apiUrl: `${api.url}/v1` })).token
})
after(async () => {
  await harness.stop()
  for (const each of [api, uploads, foreign]) await each.close()
})
beforeEach(() => {
  for (const each of [api, uploads, foreign]) {
    each.requests.length = 0
    each.response = OK
  }
})

const callProxy = (path: string, init: RequestInit = {}) =>
  fetch(`${harness.url}/proxy/twin/${path}`, {
    redirect: 'manual',
    ...init,
    headers: { authorization: `Bearer ${token}` },
  })
/** As it is written: `fetch` would resolve some of these. */
const exchangeAt = (path: string) =>
  exchange(
    harness.url,
    `GET /proxy/twin/${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
  )
const received = ({ requests }: RawUpstream) =>
  requests.map((request) => [
    request.split(' ', 2).join(' '),
    request.toLowerCase().includes(`\r\nauthorization: bearer ${TOKEN}\r\n`),
  ])

suite('a service with several hosts', () => {
  test('is called at the host of a whole address, with the credential', async () => {
    const response = await callProxy(`${uploads.url}/files/7?name=a%2Fb&access_token=${token}`, {
      method: 'POST',
      body: 'x',
    })
    assert.equal(response.status, 200)
    assert.deepEqual(received(uploads), [['POST /files/7?name=a%2Fb', true]])
    assert.equal((await callProxy(`${api.url}/v1/me`)).status, 200)
    assert.deepEqual(received(api), [['GET /v1/me', true]])
  })

  test('redirects of reads between its hosts are followed, others are not', async () => {
    api.response = `HTTP/1.1 302 Found\r\nLocation: ${uploads.url}/there\r\nContent-Length: 0\r\n\r\n`
    assert.equal((await callProxy('here')).status, 200)
    assert.deepEqual(received(uploads), [['GET /there', true]])
    uploads.response = `HTTP/1.1 302 Found\r\nLocation: ${foreign.url}/away\r\nContent-Length: 0\r\n\r\n`
    assert.equal((await callProxy('here')).status, 302)
    assert.equal(foreign.requests.length, 0)
  })

  test('is not called outside its API address, nor by tricks', async () => {
    for (const path of [
      `http://name@${uploads.host}/x`,
      `http://:secret@${uploads.host}/x`,
      `${api.url}/v2/me`,
      `${api.url}/v1/../v2/me`,
      `${api.url}/v1/%2e%2e/v2/me`,
      `${uploads.url}/%252e%252e/x`,
      `${api.url}/v1`,
      `${api.url}/v10/me`,
    ])
      assert.equal((await callProxy(path)).status, 400, path)
    for (const each of [api, uploads, foreign]) assert.deepEqual(received(each), [])
  })

  test('an address of any other host is refused, and the allowed ones are named', async () => {
    for (const path of [
      `${foreign.url}/x`,
      `https://${uploads.host}/x`,
      `http://${uploads.host}@${foreign.host}/x`,
      'http:///x',
      'https://[/x',
    ]) {
      const response = await callProxy(path)
      const { error, reason } = (await response.json()) as { error: string; reason: string }
      assert.deepEqual([response.status, reason], [400, 'bad_request'], path)
      assert.equal(error, `The proxy calls only these hosts for this service: ${api.url}, ${uploads.url}.`)
    }
    for (const each of [api, uploads, foreign]) assert.deepEqual(received(each), [])
  })

  test('an address of another host is refused in every form in which programs and reverse proxies write one', async () => {
    const { port } = new URL(foreign.url)
    for (const path of [
      `http:/${foreign.host}/x`,
      `http:${foreign.host}/x`,
      `HTTP://${foreign.host}/x`,
      `HtTpS:/EVIL.example/x`,
      'https:\\evil.example/x',
      `http:///${foreign.host}/x`,
      `/${foreign.host}/x`,
      `//${foreign.host}/x`,
      '/evil.example/x',
      '/EVIL.EXAMPLE/x',
      '/evil.example./x',
      '/evil.example:8443/x',
      '/name@evil.example/x',
      '/name:secret@evil.example/x',
      '/localhost/x',
      `/localhost:${port}/x`,
      `/[::1]:${port}/x`,
      '/evil.example',
      '\\\\evil.example/x',
      '\\/evil.example/x',
      `http://name:secret@${foreign.host}/x`,
      `http://${uploads.host}@${foreign.host}/x`,
      `http://127.0.0.1:1/x`,
      `http://127.0.0.1/x`,
      'ftp://evil.example/x',
      'ws://evil.example/x',
      'file:///etc/passwd',
      'javascript://evil.example/%0ax',
    ]) {
      const { status, body } = await exchangeAt(path)
      assert.deepEqual([status, JSON.parse(body).reason], [400, 'bad_request'], path)
      assert.match(JSON.parse(body).error, /^The proxy calls only these hosts for this service: /, path)
    }
    for (const each of [api, uploads, foreign]) assert.deepEqual(received(each), [])
  })

  test('one of its own hosts is called also when a reverse proxy has joined the slashes', async () => {
    assert.equal((await callProxy(`http:/${uploads.host}/x`)).status, 200)
    assert.deepEqual(received(uploads), [['GET /x', true]])
    assert.equal((await callProxy(`http:/${api.host}/v1/me`)).status, 200)
    assert.deepEqual(received(api), [['GET /v1/me', true]])
  })

  test('a path that only resembles an address stays below its API address', async () => {
    for (const path of [
      '/users',
      '//users/me',
      'http',
      'http/x',
      'a/http://x',
      'urn:isbn:1',
      '@x',
      'https%3A%2F%2Fx.test',
    ]) {
      assert.equal((await exchangeAt(path)).status, 200, path)
      assert.equal(api.requests.at(-1)?.split(' ', 2)[1], `/v1/${path}`)
    }
  })
})
