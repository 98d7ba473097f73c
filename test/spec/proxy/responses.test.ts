import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { after, before, beforeEach, suite, test } from 'node:test'
import { rawClient } from '../operating/raw-http.ts'
import { type ProxyHarness, startProxyHarness } from './fixture.ts'
import { type RawUpstream, startRawUpstream } from './raw-upstream.ts'

let upstream: RawUpstream
let harness: ProxyHarness
let token: string
before(async () => {
  upstream = await startRawUpstream()
  harness = await startProxyHarness({ timeouts: { headersMs: 700, idleMs: 700 }, egress: { connectTimeoutMs: 700 } })
  token = (await harness.connect({ apiUrl: upstream.url })).token
})
after(async () => {
  await harness.stop()
  await upstream.close()
})
beforeEach(() => {
  upstream.requests.length = 0
})

/** What links of the service are led back to: the configured address of the server, whatever host a request names. */
const PROXY = 'http://localhost/proxy/plain'
const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`

async function callProxy(path = '/x', init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) }
  return fetch(`${harness.url}/proxy/plain${path}`, { redirect: 'manual', ...init, headers })
}

/** The whole response as sent on the wire. */
async function wire(
  method = 'GET',
  version = '1.1',
  onReceived: (received: string) => unknown = () => {},
): Promise<string> {
  const client = await rawClient(harness.url)
  let received = ''
  client.socket.on('data', (chunk: Buffer) => onReceived((received += chunk.toString('latin1'))))
  client.send(
    `${method} /proxy/plain/x HTTP/${version}\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
  )
  return client.ended
}

suite('S40 a response is returned unchanged', () => {
  test('except for connection headers, cookies, and headers about another origin', async () => {
    upstream.response = `${lines(
      'HTTP/1.1 203 Odd Reason',
      'Content-Type: application/vnd.odd+json; charset=x',
      'Content-Length: 2',
      'Connection: keep-alive, X-Hop',
      'X-Hop: 1',
      'Keep-Alive: timeout=5',
      'Proxy-Authenticate: Basic',
      'Trailer: X-T',
      'Upgrade: h2c',
      'Set-Cookie: a=b',
      'Set-Cookie: c=d',
      'Access-Control-Allow-Origin: https://evil.test',
      'Access-Control-Allow-Credentials: true',
      'Strict-Transport-Security: max-age=1',
      'Content-Security-Policy: default-src *',
      'X-Frame-Options: ALLOWALL',
      'Clear-Site-Data: "*"',
      'Alt-Svc: h3=":1"',
      'Refresh: 0; url=https://evil.test',
      'Service-Worker-Allowed: /',
      'X-Content-Type-Options: sniff',
      'x-tributary-budget-left: 1000000000',
      'X-Request-Id: theirs',
      'ETag: "e"',
      'Link: </x?page=2>; rel="next"',
      'X-RateLimit-Remaining: 5',
      'X-Many: 1',
      'X-Many: 2',
      'Last-Modified: Mon, 02 Jan 2006 15:04:05 GMT',
      'Date: Mon, 02 Jan 2006 15:04:05 GMT',
      'WWW-Authenticate: Bearer realm="theirs"',
    )}{}`
    const response = await callProxy()
    assert.equal(response.status, 203)
    assert.equal(await response.text(), '{}')
    const all = Object.fromEntries(response.headers)
    for (const name of ['x-hop', 'keep-alive-theirs', 'proxy-authenticate', 'trailer', 'upgrade', 'set-cookie'])
      assert.equal(all[name], undefined, name)
    for (const name of ['strict-transport-security', 'clear-site-data', 'alt-svc', 'refresh', 'service-worker-allowed'])
      assert.equal(all[name], undefined, name)
    const expected: Record<string, string> = {
      'content-type': 'application/vnd.odd+json; charset=x',
      'access-control-allow-origin': '*',
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'x-service-request-id': 'theirs',
      etag: '"e"',
      link: '<http://localhost/proxy/plain/x?page=2>; rel="next"',
      'x-ratelimit-remaining': '5',
      'x-many': '1, 2',
      'last-modified': 'Mon, 02 Jan 2006 15:04:05 GMT',
      date: 'Mon, 02 Jan 2006 15:04:05 GMT',
      'www-authenticate': 'Bearer realm="theirs"',
      'cache-control': 'no-store',
      'x-tributary-refreshed': 'false',
      'x-tributary-retried': 'false',
    }
    for (const [name, value] of Object.entries(expected)) assert.equal(all[name], value, name)
    assert.equal(all['access-control-allow-credentials'], undefined)
    assert.notEqual(all['x-request-id'], 'theirs')
    assert.match(all['x-tributary-budget-left'] ?? '', /^\d+$/)
    assert.notEqual(all['x-tributary-budget-left'], '1000000000')
  })

  test('and may not be cached by others', async () => {
    for (const [upstreamValue, returned] of [
      ['public, max-age=60, s-maxage=600', 'private, max-age=60'],
      ['max-age=60', 'private, max-age=60'],
      ['no-store', 'no-store'],
      ['PRIVATE, No-Cache', 'private, No-Cache'],
    ]) {
      upstream.response = lines('HTTP/1.1 200 OK', 'Content-Length: 0', `Cache-Control: ${upstreamValue}`)
      assert.equal((await callProxy()).headers.get('cache-control'), returned)
    }
  })

  for (const status of [201, 400, 403, 404, 409, 418, 451, 500, 503])
    test(`with status ${status}`, async () => {
      upstream.response = `${lines(`HTTP/1.1 ${status} X`, 'Content-Length: 4', 'Retry-After: 7')}body`
      const response = await callProxy()
      assert.deepEqual(
        [response.status, await response.text(), response.headers.get('retry-after')],
        [status, 'body', '7'],
      )
      assert.ok(response.headers.has('x-tributary-retried'), 'marks it as a response of the service')
    })

  for (const [what, head] of Object.entries({
    204: lines('HTTP/1.1 204 No Content', 'ETag: "a"'),
    304: lines('HTTP/1.1 304 Not Modified', 'ETag: "a"'),
    205: lines('HTTP/1.1 205 Reset', 'ETag: "a"', 'Content-Length: 0'),
  }))
    test(`${what} without a body`, async () => {
      upstream.response = head
      const response = await callProxy('/x', { headers: { 'if-none-match': '"a"' } })
      assert.deepEqual(
        [String(response.status), response.headers.get('etag'), await response.text()],
        [what, '"a"', ''],
      )
    })

  test('HEAD has the length and no body', async () => {
    upstream.response = lines('HTTP/1.1 200 OK', 'Content-Length: 1234567', 'Content-Type: video/mp4')
    const text = await wire('HEAD')
    assert.match(text, /\r\ncontent-length: 1234567\r\n/)
    assert.ok(text.endsWith('\r\n\r\n'))
  })

  test('after informational responses, which are not forwarded', async () => {
    upstream.response = `${lines('HTTP/1.1 102 Processing')}${lines('HTTP/1.1 103 Early Hints', 'Link: </a>; rel=preload')}${lines('HTTP/1.1 200 OK', 'Content-Length: 2')}ok`
    const text = await wire()
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n/)
    assert.doesNotMatch(text, /103|preload/)
  })

  test('an unrequested upgrade is a 502', async () => {
    upstream.response = lines('HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade')
    assert.equal((await callProxy()).status, 502)
  })

  test('in its content encoding', async () => {
    upstream.response = `${lines('HTTP/1.1 200 OK', 'Content-Encoding: odd', 'Content-Length: 3')}\x01\xff\x00`
    assert.ok((await wire()).endsWith('\x01\xff\x00'))
  })

  test('chunked, without trailers', async () => {
    upstream.response = `${lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', 'Trailer: Set-Cookie')}3\r\nabc\r\n2\r\nde\r\n0\r\nSet-Cookie: a=b\r\n\r\n`
    const text = await wire()
    assert.match(text, /\r\ntransfer-encoding: chunked\r\n/i)
    assert.doesNotMatch(text, /set-cookie/i)
    assert.equal(await (await callProxy()).text(), 'abcde')
  })

  test('without a length until the service closes the connection', async () => {
    upstream.response = (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nall of it')
    assert.equal(await (await callProxy()).text(), 'all of it')
  })
})

suite('S40 a broken response', () => {
  const cut = (bytes: string) => {
    upstream.response = (socket) => socket.end(bytes, 'latin1')
  }

  /** Sends these bytes and closes when called: a reset could discard bytes that were not read yet. */
  const begin = (bytes: string) => {
    const open: Socket[] = []
    upstream.response = (socket) => {
      socket.write(bytes, 'latin1')
      open.push(socket)
    }
    return () => {
      for (const socket of open.splice(0)) socket.end()
    }
  }

  test('that is shorter than announced cuts the connection', async () => {
    const hangUp = begin(`${lines('HTTP/1.1 200 OK', 'Content-Length: 100000')}half`)
    const response = await callProxy()
    hangUp()
    await assert.rejects(response.text())
    const text = await wire('GET', '1.1', (received) => received.endsWith('half') && hangUp())
    assert.match(text, /content-length: 100000\r\n[\s\S]*\r\n\r\nhalf$/)
  })

  test('that is small and shorter than announced is requested once more, or else a 502', async () => {
    const broken = `${lines('HTTP/1.1 200 OK', 'Content-Length: 100')}half`
    let attempts = 0
    upstream.response = (socket) => {
      attempts += 1
      if (attempts === 1) socket.end(broken, 'latin1')
      else socket.write(`${lines('HTTP/1.1 200 OK', 'Content-Length: 5')}whole`)
    }
    const again = await callProxy()
    assert.deepEqual([await again.text(), again.headers.get('x-tributary-retried'), attempts], ['whole', 'true', 2])
    cut(broken)
    assert.equal((await callProxy()).status, 502)
  })

  test('that is small and cut off does not repeat a write', async () => {
    cut(`${lines('HTTP/1.1 201 Created', 'Content-Length: 100')}half`)
    const before = upstream.requests.length
    assert.equal((await callProxy('/x', { method: 'POST', body: 'text' })).status, 502)
    assert.equal(upstream.requests.length, before + 1)
  })

  test('that stops between chunks never looks whole', async () => {
    const hangUp = begin(`${lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}4\r\nhalf\r\n`)
    const response = await callProxy()
    hangUp()
    await assert.rejects(response.text())
    const text = await wire('GET', '1.1', (received) => received.includes('half') && hangUp())
    assert.doesNotMatch(text, /\r\n0\r\n\r\n$/)
  })

  test('that stops between chunks resets an HTTP/1.0 client', async () => {
    const hangUp = begin(`${lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}4\r\nhalf\r\n`)
    const client = await rawClient(harness.url)
    client.socket.once('data', hangUp)
    const failed = once(client.socket, 'error') as Promise<[NodeJS.ErrnoException]>
    client.send(`GET /proxy/plain/x HTTP/1.0\r\nAuthorization: Bearer ${token}\r\n\r\n`)
    assert.equal((await failed)[0].code, 'ECONNRESET')
  })

  test('with headers and no body cuts the connection too', async () => {
    cut(lines('HTTP/1.1 200 OK', 'Content-Length: 100000'))
    await assert.rejects(async () => (await callProxy()).text())
  })

  for (const [what, bytes] of Object.entries({
    'is not HTTP': 'HELLO\r\n\r\n',
    'is nothing at all': '',
    'has two lengths': `${lines('HTTP/1.1 200 OK', 'Content-Length: 2', 'Content-Length: 3')}abc`,
    'has a length and chunks': `${lines('HTTP/1.1 200 OK', 'Content-Length: 2', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    'has a broken header': lines('HTTP/1.1 200 OK', 'No colon', 'Content-Length: 0'),
    'has 50 KB of headers': lines('HTTP/1.1 200 OK', `X-A: ${'x'.repeat(50_000)}`, 'Content-Length: 0'),
  }))
    test(`that ${what} is a 502`, async () => {
      cut(bytes)
      const response = await callProxy()
      assert.equal(response.status, 502)
      assert.equal(((await response.json()) as { reason: string }).reason, 'service_unreachable')
    })

  test('longer than announced is cut at its length, and its connection is not reused', async () => {
    upstream.response = `${lines('HTTP/1.1 200 OK', 'Content-Length: 2')}okHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`
    const before = upstream.connections()
    assert.equal(await (await callProxy()).text(), 'ok')
    assert.equal(await (await callProxy()).text(), 'ok')
    assert.ok(upstream.connections() >= before + 1)
  })

  test('that does not begin in time is a 504', async () => {
    upstream.response = () => {}
    const response = await callProxy()
    assert.equal(response.status, 504)
    assert.equal(((await response.json()) as { reason: string }).reason, 'service_timeout')
  })

  test('that stalls half-way cuts the connection, or is a 504 when it is small', async () => {
    upstream.response = `${lines('HTTP/1.1 200 OK', 'Content-Length: 100000')}half`
    await assert.rejects((await callProxy()).text())
    upstream.response = `${lines('HTTP/1.1 200 OK', 'Content-Length: 100')}half`
    assert.equal((await callProxy()).status, 504)
  })

  test('an unreachable service is a 502', async () => {
    const closed = await startRawUpstream()
    await closed.close()
    const other = await harness.connect({ service: 'keyed', apiUrl: closed.url })
    const call = () => fetch(`${harness.url}/proxy/keyed/x`, { headers: { authorization: `Bearer ${other.token}` } })
    assert.equal((await call()).status, 502)
    assert.ok(!harness.logged.some((line) => line.includes('service-token')))
  })
})

suite('redirects', () => {
  test('of reads are followed on the service’s own host, with the credential', async () => {
    upstream.response = (socket, request) =>
      socket.write(
        request.startsWith('GET /new')
          ? `${lines('HTTP/1.1 200 OK', 'Content-Length: 3')}new`
          : lines('HTTP/1.1 302 Found', 'Location: /new?a=1', 'Content-Length: 0'),
      )
    assert.equal(await (await callProxy()).text(), 'new')
    assert.deepEqual(
      upstream.requests.map((request) => [request.split(' ')[1], /authorization: Bearer/.test(request)]),
      [
        ['/x', true],
        ['/new?a=1', true],
      ],
    )
  })

  test('S33 to another host are returned to the app; nothing is sent there', async () => {
    const other = await startRawUpstream()
    try {
      for (const location of [
        `${other.url}/steal`,
        `//${other.host}/steal`,
        upstream.url.replace('127.0.0.1', 'localhost'),
        'file:///etc/passwd',
        'gopher://127.0.0.1/',
      ]) {
        upstream.response = lines('HTTP/1.1 302 Found', `Location: ${location}`, 'Content-Length: 0')
        upstream.requests.length = 0
        const response = await callProxy()
        assert.equal(response.status, 302)
        assert.equal(new URL(response.headers.get('location') ?? '').host, new URL(location, upstream.url).host)
        assert.equal(upstream.requests.length, 1)
      }
      assert.equal(other.connections(), 0)
    } finally {
      await other.close()
    }
  })

  test('to its own host that are not followed lead to the proxy', async () => {
    for (const before of ['https://', 'http://user@', 'http://:password@', 'http://user:password@']) {
      const location = upstream.url.replace('http://', before)
      upstream.response = lines('HTTP/1.1 302 Found', `Location: ${location}/y`, 'Content-Length: 0')
      upstream.requests.length = 0
      const response = await callProxy()
      assert.deepEqual([response.status, response.headers.get('location')], [302, `${PROXY}/y`])
      assert.equal(upstream.requests.length, 1)
    }
  })

  test('in a loop end after five', async () => {
    upstream.response = lines('HTTP/1.1 302 Found', 'Location: /x', 'Content-Length: 0')
    const response = await callProxy()
    assert.equal(response.status, 302)
    assert.equal(upstream.requests.length, 6)
    assert.equal(response.headers.get('location'), `${PROXY}/x`)
  })

  test('of writes are returned to the app', async () => {
    upstream.response = lines('HTTP/1.1 307 Again', 'Location: /y', 'Content-Length: 0')
    const response = await callProxy('/x', { method: 'POST', body: 'a' })
    assert.deepEqual([response.status, response.headers.get('location')], [307, `${PROXY}/y`])
    assert.equal(upstream.requests.length, 1)
  })

  test('do not reveal the credential that we put into the query', async () => {
    const { token: keyed } = await harness.connect({ service: 'keyed', apiUrl: upstream.url })
    upstream.response = (socket, request) => {
      const [, path] = request.split(' ')
      socket.write(lines('HTTP/1.1 302 Found', `Location: https://cdn.test${path}`, 'Content-Length: 0'))
    }
    const response = await fetch(`${harness.url}/proxy/keyed/x?a=1`, {
      redirect: 'manual',
      headers: { authorization: `Bearer ${keyed}` },
    })
    assert.equal(response.headers.get('location'), 'https://cdn.test/x?a=1&v=2')
  })
})
