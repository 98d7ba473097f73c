import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { createDpopKey } from '#upstream/dpop/proof.ts'
import { type ProxyHarness, startProxyHarness } from './fixture.ts'
import { OK, type RawUpstream, startRawUpstream } from './raw-upstream.ts'

let upstream: RawUpstream
let harness: ProxyHarness
let issued: number
/** The token that the service accepts; every refresh issues the next one. */
let valid: string
before(async () => {
  upstream = await startRawUpstream()
  harness = await startProxyHarness()
})
after(async () => {
  await harness.stop()
  await upstream.close()
})

const json = (status: number, body: object, ...headers: string[]) => {
  const text = JSON.stringify(body)
  const lines = [`HTTP/1.1 ${status} X`, 'Content-Type: application/json', `Content-Length: ${text.length}`, ...headers]
  return `${lines.join('\r\n')}\r\n\r\n${text}`
}

/** A service with a rotating token endpoint, and one address that accepts only the newest token. */
function serve(socket: { write: (bytes: string) => void }, request: string): void {
  if (request.startsWith('POST /token ')) {
    issued += 1
    valid = `token-${issued}-0123456789`
    socket.write(
      json(200, { access_token: valid, refresh_token: `refresh-${issued}`, token_type: 'bearer', expires_in: 3600 }),
    )
  } else if (request.startsWith('GET /forbidden ')) socket.write(json(401, { error: 'never' }))
  else socket.write(request.includes(`authorization: Bearer ${valid}\r\n`) ? OK : json(401, { error: 'old' }))
}
beforeEach(() => {
  upstream.requests.length = 0
  upstream.response = serve
  issued = 0
  valid = 'token-0-0123456789'
})

const expired = { token: 'token-old-0123456789', refreshToken: 'refresh-0' }
const connect = (credential: object = expired) =>
  harness.connect({
    apiUrl: upstream.url,
    overrides: { token_url: `${upstream.url}/token` },
    credential: credential as typeof expired,
  })
async function callProxy(by: string, path = '/x', init: RequestInit = {}) {
  const headers = { authorization: `Bearer ${by}`, ...(init.headers as Record<string, string>) }
  const response = await fetch(`${harness.url}/proxy/plain${path}`, { ...init, headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const requestLines = () => upstream.requests.map((request) => request.split(' ', 2).join(' '))
const retryHeaders = ({ headers }: { headers: Headers }) => [
  headers.get('x-tributary-refreshed'),
  headers.get('x-tributary-retried'),
]

suite('a token that the service refuses', () => {
  test('is refreshed once, and the same request is sent again', async () => {
    const { token } = await connect()
    const body = '{"text":"hello"}'
    const response = await callProxy(token, '/x?a=1', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(response.status, 200)
    assert.deepEqual(retryHeaders(response), ['true', 'true'])
    assert.deepEqual(requestLines(), ['POST /x?a=1', 'POST /token', 'POST /x?a=1'])
    const [first = '', , second = ''] = upstream.requests
    assert.equal(second, first.replace(expired.token, valid))
    assert.deepEqual(retryHeaders(await callProxy(token)), ['false', 'false'])
  })

  test('is also refreshed when a small body came in chunks', async () => {
    const { token } = await connect()
    const stream = new Blob(['x'.repeat(100_000)]).stream()
    const response = await callProxy(token, '/x', { method: 'POST', body: stream, duplex: 'half' })
    assert.equal(response.status, 200)
    assert.match(upstream.requests[2] ?? '', /\r\ncontent-length: 100000\r\n/)
  })

  test('is not refreshed when the body is a stream that was consumed', async () => {
    const { token } = await connect()
    const response = await callProxy(token, '/x', { method: 'POST', body: 'x'.repeat(1_000_000) })
    assert.deepEqual([response.status, response.text], [401, '{"error":"old"}'])
    assert.deepEqual(requestLines(), ['POST /x'])
  })

  test('by twenty calls at once is refreshed once', async () => {
    const { token } = await connect()
    const responses = await Promise.all(Array.from({ length: 20 }, () => callProxy(token)))
    assert.ok(responses.every(({ status }) => status === 200))
    assert.equal(requestLines().filter((call) => call === 'POST /token').length, 1)
  })

  test('is not refreshed with every call to a forbidden address', async () => {
    const { token } = await connect()
    assert.equal((await callProxy(token, '/forbidden')).status, 401)
    assert.equal((await callProxy(token, '/forbidden')).status, 401)
    assert.equal((await callProxy(token)).status, 200)
    assert.equal((await callProxy(token, '/forbidden')).text, '{"error":"never"}')
    assert.equal(requestLines().filter((call) => call === 'POST /token').length, 1)
  })

  test('that cannot be refreshed: the refusal of the service is returned unchanged', async () => {
    const { token } = await connect({ token: 'token-old-0123456789' })
    const response = await callProxy(token)
    assert.deepEqual([response.status, response.text], [401, '{"error":"old"}'])
    assert.deepEqual(requestLines(), ['GET /x'])
  })

  test('whose refresh is refused needs a new sign-in', async () => {
    upstream.response = (socket, request) =>
      socket.write(json(request.startsWith('POST /token') ? 400 : 401, { error: 'invalid_grant' }))
    const { token } = await connect()
    const response = await callProxy(token)
    assert.deepEqual([response.status, (JSON.parse(response.text) as { reason: string }).reason], [403, 'needs_auth'])
  })
})

suite('a lost connection', () => {
  const dying = () => {
    let remaining = 1
    upstream.response = (socket, request) => {
      if (remaining-- > 0) socket.destroy()
      else serve(socket, request)
    }
    return connect({ token: valid })
  }

  test('is retried once where that is safe', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { token } = await dying()
      upstream.requests.length = 0
      const response = await callProxy(token, '/x', { method, ...(method === 'PUT' ? { body: 'b' } : {}) })
      assert.equal(response.status, 200, method)
      assert.deepEqual(retryHeaders(response), ['false', 'true'])
      assert.equal(upstream.requests.length, 2)
    }
  })

  test('is a 502 where it is not', async () => {
    for (const [method, body] of [
      ['POST', 'b'],
      ['PATCH', 'b'],
      ['PUT', 'x'.repeat(1_000_000)],
    ] as const) {
      const { token } = await dying()
      upstream.requests.length = 0
      assert.equal((await callProxy(token, '/x', { method, body })).status, 502, method)
      assert.ok(upstream.requests.length <= 1)
    }
  })
})

suite('DPoP', () => {
  const nonceIn = (request: string) => {
    const proof = /\r\ndpop: [^.]+\.([^.]+)\./.exec(request)?.[1] ?? ''
    return (JSON.parse(Buffer.from(proof, 'base64url').toString()) as { nonce?: string }).nonce
  }

  test('a nonce that the server requires is learned, and kept for the next call and for streams', async () => {
    let nonce = 'n1'
    upstream.response = (socket, request) =>
      socket.write(
        nonceIn(request) === nonce
          ? OK
          : json(401, {}, 'WWW-Authenticate: DPoP error="use_dpop_nonce"', `DPoP-Nonce: ${nonce}`),
      )
    const { token } = await connect({ token: valid, dpopKey: await createDpopKey() })
    const first = await callProxy(token, '/x?a=1', { method: 'POST', body: 'b' })
    assert.equal(first.status, 200)
    assert.deepEqual(retryHeaders(first), ['false', 'true'])
    assert.deepEqual(retryHeaders(await callProxy(token)), ['false', 'false'])
    assert.deepEqual(requestLines(), ['POST /x?a=1', 'POST /x?a=1', 'GET /x'])
    assert.ok(upstream.requests.every((request) => /\r\nauthorization: DPoP token-0/.test(request)))
    nonce = 'n2'
    upstream.requests.length = 0
    upstream.response = (socket, request) =>
      socket.write(
        request.startsWith('HEAD')
          ? `HTTP/1.1 401 X\r\nDPoP-Nonce: ${nonce}\r\nContent-Length: 2\r\n\r\n`
          : nonceIn(request) === nonce
            ? OK
            : json(401, {}),
      )
    const stream = await callProxy(token, '/upload', { method: 'POST', body: 'x'.repeat(1_000_000) })
    assert.equal(stream.status, 200)
    assert.deepEqual(requestLines(), ['HEAD /upload', 'POST /upload'])
  })
})
