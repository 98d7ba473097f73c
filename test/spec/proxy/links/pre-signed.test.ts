import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { defineConnector } from '#kit/connector/connector.ts'
import { plain } from '../connectors.ts'
import { type ProxyHarness, startProxyHarness, TOKEN } from '../fixture.ts'
import { OK, type RawUpstream, startRawUpstream } from '../raw-upstream.ts'

// A file is often sent to an address of storage, or read there, that says itself what its bearer may do.

const storing = defineConnector({ ...plain, service: 'storing', aliases: [], api: { ...plain.api, links: ['page'] } })
const SIGNED = 'X-Amz-Credential=A%2Fb&X-Amz-Signature=0a1b&X-Amz-SignedHeaders=host'

let api: RawUpstream
let storage: RawUpstream
let harness: ProxyHarness
let token: string
before(async () => {
  api = await startRawUpstream()
  storage = await startRawUpstream('127.0.0.2')
  harness = await startProxyHarness({ connectors: [storing] })
  const { token: opened, account } = await harness.connect({ service: 'storing', apiUrl: `${api.url}/v1` })
  token = opened
  await harness.connect({ service: 'keyed', apiUrl: `${api.url}/v1`, account: account.id })
})
after(async () => {
  await harness.stop()
  await api.close()
  await storage.close()
})
beforeEach(() => {
  api.requests.length = 0
  storage.requests.length = 0
  api.response = OK
  storage.response = OK
})

function callProxy(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) }
  return fetch(`${harness.url}/proxy${path}`, { redirect: 'manual', ...init, headers })
}

suite('an address for an upload or a file', () => {
  test('at the service’s own host leads to the proxy, which sends the bytes there with the credential', async () => {
    api.response = `HTTP/1.1 200 OK\r\nLocation: ${api.url}/v1/upload?uploadType=resumable&upload_id=a%2Fb\r\nContent-Length: 0\r\n\r\n`
    const begun = await callProxy('/storing/upload?uploadType=resumable', { method: 'POST' })
    const session = begun.headers.get('location')!
    assert.equal(session, 'http://localhost/proxy/storing/upload?uploadType=resumable&upload_id=a%2Fb')
    api.response = OK
    const path = session.slice('http://localhost/proxy'.length)
    assert.equal(
      (await callProxy(path, { method: 'PUT', body: 'the bytes', headers: { 'content-range': 'bytes 0-8/9' } })).status,
      200,
    )
    const put = api.requests[1]!
    assert.match(put, /^PUT \/v1\/upload\?uploadType=resumable&upload_id=a%2Fb HTTP/)
    assert.ok(put.includes(`Bearer ${TOKEN}`) && put.endsWith('the bytes'), put)
  })

  test('at another host is handed on as it is, wherever it is written', async () => {
    const address = `${storage.url}/bucket/a%20b?${SIGNED}&access_token=of-storage`
    const body = JSON.stringify({ upload_url: address, nested: { page: address } })
    api.response = `HTTP/1.1 201 Created\r\nLocation: ${address}\r\nContent-Location: ${address}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const response = await callProxy('/storing/uploads', { method: 'POST' })
    assert.equal(response.headers.get('location'), address)
    assert.equal(response.headers.get('content-location'), address)
    assert.equal(await response.text(), body)
  })

  test('at another host gets no credential: a redirect there is the caller’s, and it cannot be called through the proxy', async () => {
    const address = `${storage.url}/bucket/x?${SIGNED}`
    for (const status of ['301 Moved', '302 Found', '303 See Other', '307 Temporary', '308 Permanent']) {
      api.response = `HTTP/1.1 ${status}\r\nLocation: ${address}\r\nContent-Length: 0\r\n\r\n`
      const response = await callProxy('/storing/file')
      assert.deepEqual([response.status, response.headers.get('location')], [Number(status.slice(0, 3)), address])
    }
    assert.equal((await callProxy(`/storing/${address}`)).status, 400)
    assert.deepEqual(storage.requests, [])
    // What the caller itself sends there: `fetch` leaves out its own token at another host.
    assert.equal((await callProxy('/storing/file', { redirect: 'follow' })).status, 200)
    assert.equal(storage.requests.length, 1)
    assert.doesNotMatch(storage.requests[0]!, /authorization|trt_|service-token/i)
  })

  test('that is signed gets no credential at a host of the service either, in a call or a redirect', async () => {
    assert.equal((await callProxy(`/storing/file?${SIGNED}`, { method: 'PUT', body: 'x' })).status, 200)
    assert.equal((await callProxy(`/keyed/file?${SIGNED}`)).status, 200)
    api.response = (socket, request) =>
      socket.write(
        request.startsWith('GET /v1/file ')
          ? `HTTP/1.1 302 Found\r\nLocation: /v1/stored?${SIGNED}\r\nContent-Length: 0\r\n\r\n`
          : OK,
      )
    assert.equal((await callProxy('/storing/file')).status, 200)
    const [call, ofKeyed, , redirected] = api.requests as [string, string, string, string]
    assert.match(call, /^PUT \/v1\/file\?X-Amz/)
    assert.ok(ofKeyed.startsWith(`GET /v1/file?${SIGNED} HTTP/`), ofKeyed)
    assert.match(redirected, /^GET \/v1\/stored\?X-Amz/)
    for (const request of [call, ofKeyed, redirected])
      assert.doesNotMatch(request, /authorization|trt_|service-token|x-client/i)
    assert.match(api.requests[2]!, /^authorization: Bearer service-token-/im)
  })

  test('that is signed leads to the proxy at a host of the service, because the caller’s token must not go there', async () => {
    api.response = `HTTP/1.1 302 Found\r\nLocation: ${api.url}/v1/stored?${SIGNED}\r\nContent-Length: 0\r\n\r\n`
    const response = await callProxy('/storing/file', { method: 'POST' })
    assert.equal(response.headers.get('location'), `http://localhost/proxy/storing/stored?${SIGNED}`)
  })
})
