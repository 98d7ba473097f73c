import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { ROUTES } from '#http/routes.ts'
import { exchange } from '../operating/raw-http.ts'
import { type ProxyHarness, startProxyHarness, TOKEN } from './fixture.ts'
import { OK, type RawUpstream, startRawUpstream } from './raw-upstream.ts'

const HOST = 'plain.proxy.test'
let upstream: RawUpstream
let harness: ProxyHarness
let token: string
before(async () => {
  upstream = await startRawUpstream()
  harness = await startProxyHarness({ proxyOrigin: 'https://{service}.proxy.test', proxyPorts: ['plain'] })
  token = (await harness.connect({ apiUrl: `${upstream.url}/v1` })).token
})
after(async () => {
  await harness.stop()
  await upstream.close()
})
beforeEach(() => {
  upstream.requests.length = 0
  upstream.response = OK
})

interface Sent {
  method?: string
  target?: string
  hosts?: string[]
  headers?: string[]
  body?: string
  /** Arrives at the port of the service. */
  atPort?: boolean
  authorization?: string
}

function send({ method = 'GET', target = '/v1/me', hosts = [HOST], headers = [], body = '', ...given }: Sent) {
  const { port } = new URL(harness.url)
  const url = `http://127.0.0.1:${given.atPort === true ? harness.deps.config.proxyPorts['plain'] : port}`
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...hosts.map((host) => `Host: ${host}`),
    `Authorization: ${given.authorization ?? `Bearer ${token}`}`,
    ...headers,
    'Connection: close',
  ]
  return exchange(url, `${lines.join('\r\n')}\r\n\r\n${body}`)
}

const received = () => upstream.requests.map((request) => request.split(' ', 2).join(' '))

suite('the origin of a service', () => {
  for (const atPort of [false, true])
    suite(atPort ? 'at a port of its own' : 'named as the host', () => {
      const hosts = [atPort ? 'anything.test:1' : HOST]
      const url = () => (atPort ? `http://localhost:${harness.deps.config.proxyPorts['plain']}` : `https://${HOST}`)

      test('has the paths of the service itself, and its credential', async () => {
        for (const target of ['/v1/me', '/v1/me?a=%2F&b', '/v1/v0/me', '/v1/proxy/plain/me', '/v1', '/v1/'])
          assert.equal((await send({ atPort, hosts, target })).status, 200, target)
        assert.deepEqual(received(), [
          'GET /v1/me',
          'GET /v1/me?a=%2F&b',
          'GET /v1/v0/me',
          'GET /v1/proxy/plain/me',
          'GET /v1',
          'GET /v1/',
        ])
        for (const request of upstream.requests)
          assert.match(request, new RegExp(`^authorization: Bearer ${TOKEN}`, 'im'))
      })

      test('is not called outside the API, and the error says so', async () => {
        for (const target of ['/me', '/v10/me', '/v1/../me', '/v1/%2e%2e/me', '/%761/me', '/v0/v1/me']) {
          const { status, body } = await send({ atPort, hosts, target })
          assert.deepEqual([status, JSON.parse(body).reason], [400, 'bad_request'], target)
        }
        assert.match((await send({ atPort, hosts, target: '/me' })).body, /must begin with \/v1\//)
        assert.deepEqual(upstream.requests, [])
      })

      test('writes with any method and body, also those of WebDAV', async () => {
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'MKCOL'])
          assert.equal((await send({ atPort, hosts, method, headers: ['Content-Length: 2'], body: 'hi' })).status, 200)
        assert.equal((await send({ atPort, hosts, method: 'HEAD' })).status, 200)
        const bodies = upstream.requests.map((request) => request.split('\r\n\r\n')[1])
        assert.deepEqual(bodies, ['hi', 'hi', 'hi', 'hi', 'hi', 'hi', ''])
      })

      test('has the same CORS as /proxy, and no websockets', async () => {
        const { status, head } = await send({
          atPort,
          hosts,
          method: 'OPTIONS',
          headers: ['Origin: https://a.test', 'Access-Control-Request-Method: POST'],
        })
        assert.equal(status, 204)
        assert.match(head, /^access-control-allow-origin: \*\r?$/m)
        assert.match(head, /^access-control-allow-headers: \*, authorization\r?$/m)
        const socket = await send({ atPort, hosts, headers: ['Upgrade: websocket', 'Sec-WebSocket-Key: x'] })
        assert.equal(socket.status, 400)
        assert.deepEqual(upstream.requests, [])
      })

      test('has links that lead back to it, whatever the request names', async () => {
        upstream.response = `HTTP/1.1 201 Created\r\nLocation: /v1/x/1\r\nLink: <${upstream.url}/v1/me?page=2>; rel="next"\r\nContent-Length: 0\r\n\r\n`
        const { head } = await send({
          atPort,
          hosts,
          headers: ['X-Forwarded-Host: evil.test', 'Forwarded: host=evil.test'],
        })
        assert.ok(head.includes(`\nlocation: ${url()}/v1/x/1\r`), head)
        assert.ok(head.includes(`\nlink: <${url()}/v1/me?page=2>; rel="next"\r`), head)
        assert.ok(!head.includes('evil.test'))
      })

      test('serves nothing of ours: every route leads to the service or is refused', async () => {
        upstream.response = 'HTTP/1.1 299 Theirs\r\nContent-Length: 0\r\nSet-Cookie: theirs=1\r\n\r\n'
        const calls = new Set(
          ROUTES.map(([method, path]) => `${method} ${path.replaceAll(/:\w+/g, 'plain').replace('*', 'x')}`),
        )
        assert.ok(calls.size > 80)
        for (const call of calls)
          for (const prefix of ['', '/v1']) {
            const [method = '', path = ''] = call.split(' ')
            const target = `${prefix}${path}`
            const headers = ['Accept: text/html', 'Content-Length: 0']
            const { status, head, body } = await send({ atPort, hosts, method, target, headers })
            if (prefix === '/v1') assert.equal(status, 299, call)
            else assert.deepEqual([status, JSON.parse(body).reason], [400, 'bad_request'], call)
            assert.doesNotMatch(head, /set-cookie|text\/html/, call)
          }
      })
    })

  test('of a service that does not exist, and without a token, refuses in JSON', async () => {
    const unknown = await send({ hosts: ['nothing.proxy.test'], headers: ['Accept: text/html'] })
    assert.deepEqual([unknown.status, JSON.parse(unknown.body).reason], [404, 'no_profile'])
    const stranger = await send({ authorization: 'Bearer trt_wrong', headers: ['Accept: text/html'] })
    assert.deepEqual([stranger.status, JSON.parse(stranger.body).reason], [401, 'token_invalid'])
    // `tributary doctor` recognizes an origin by this.
    const probe = `GET / HTTP/1.1\r\nHost: tributary-doctor.proxy.test\r\nX-Request-Id: probe-0123\r\nConnection: close\r\n\r\n`
    const { status, body } = await exchange(harness.url, probe)
    const { reason, request_id: id } = JSON.parse(body)
    assert.deepEqual([status, reason, id], [401, 'token_missing', 'probe-0123'])
    const odd = await send({ method: 'TRACE', headers: ['Accept: text/html'] })
    assert.equal(JSON.parse(odd.body).reason, 'not_found')
  })

  test('does not let an operator act for an account, by token or by a session', async () => {
    const acting = { authorization: `Bearer ${harness.deps.adminToken}` }
    for (const headers of [['Tributary-Account: x'], ['Tributary-App: x'], ['Tributary-Dashboard: 1', 'Cookie: a=b']])
      for (const atPort of [false, true]) {
        const { status, body } = await send({ ...acting, atPort, headers })
        assert.deepEqual([status, JSON.parse(body).reason], [401, 'token_invalid'])
      }
    const own = await send({ headers: ['Tributary-Account: x', 'Tributary-Dashboard: 1', 'Cookie: a=b'] })
    assert.equal(own.status, 200)
    assert.doesNotMatch(upstream.requests[0]!, /cookie|tributary-/i)
  })
})

suite('the host of a request', () => {
  const AT = [
    'plain.proxy.test',
    'PLAIN.Proxy.Test',
    'plain.proxy.test.',
    'plain.proxy.test:443',
    'simple.proxy.test:8042',
  ]
  const ELSEWHERE = [
    'proxy.test',
    '.proxy.test',
    'a.plain.proxy.test',
    'plain.proxy.test.evil.test',
    'xplain.proxy.testx',
    'plain.proxy.test:',
    'plain.proxy.test:123456',
    'plain.proxy.test:8042:1',
    'plain.proxy.test@evil.test',
    'evil@plain.proxy.test',
    'plain.proxy.test/x',
    'plain.proxy.test, localhost',
    'plain_.proxy.test',
    '-plain.proxy.test',
    'plain-.proxy.test',
    'plain%2eproxy.test',
    '{service}.proxy.test',
    '42@plain.proxy.test',
    'plain..proxy.test',
    'plain.proxy.test..',
    `${'a'.repeat(64)}.proxy.test`,
    `${'a.'.repeat(2000)}proxy.test`,
    '[::1]',
    '127.0.0.1',
    '',
  ]
  for (const host of AT)
    test(`“${host}” is the origin`, async () => {
      assert.equal((await send({ hosts: [host] })).status, 200)
      assert.deepEqual(received(), ['GET /v1/me'])
    })
  for (const host of ELSEWHERE)
    test(`“${host.slice(0, 40)}” is not`, async () => {
      const { status } = await send({ hosts: [host], target: '/proxy/plain/me' })
      assert.equal(status, 200)
      assert.deepEqual(received(), ['GET /v1/me'])
    })

  test('that names several is refused if one is an origin', async () => {
    for (const hosts of [
      [HOST, 'localhost'],
      ['localhost', HOST],
      [HOST, 'paged.proxy.test'],
    ]) {
      const { status, body } = await send({ hosts, headers: ['Accept: text/html'] })
      assert.deepEqual([status, JSON.parse(body).reason], [400, 'bad_request'], hosts.join())
    }
    assert.deepEqual(upstream.requests, [])
  })

  test('in a whole address as the target must be the same', async () => {
    assert.equal((await send({ target: `https://${HOST}/v1/me?a=1` })).status, 200)
    assert.equal((await send({ target: `https://${HOST}?a=1` })).status, 400)
    assert.deepEqual(received(), ['GET /v1/me?a=1'])
    for (const [target, host] of [
      [`http://${HOST}/healthz`, 'localhost'],
      ['http://localhost/healthz', HOST],
      [`http://evil@${HOST}/healthz`, HOST],
      ['http://paged.proxy.test/v1/me', HOST],
      [`ftp://${HOST}/v1/me`, HOST],
      ['*', HOST],
    ] as const)
      assert.equal((await send({ target, hosts: [host] })).status, 400, `${target} ${host}`)
    assert.equal(upstream.requests.length, 1)
  })

  test('at the port of a service does not matter', async () => {
    for (const host of ['paged.proxy.test', 'localhost', HOST])
      assert.equal((await send({ atPort: true, hosts: [host] })).status, 200)
    assert.equal((await send({ atPort: true, target: 'http://evil.test/v1/me' })).status, 200)
    assert.equal(upstream.requests.length, 4)
  })
})

suite('a forwarded host', () => {
  const hosts = ['internal']
  const forwarded = (host: string) => [`X-Forwarded-Host: ${host}`]

  test('counts from a trusted proxy only, and never leads away from an origin', async () => {
    assert.equal((await send({ hosts, headers: forwarded(HOST), target: '/healthz' })).status, 200)
    const trusting = await startProxyHarness({
      proxyOrigin: 'https://{service}.proxy.test',
      trustProxy: ['127.0.0.1'],
    })
    const other = (await trusting.connect({ apiUrl: `${upstream.url}/v1` })).token
    const call = async (host: string, header: string) => {
      const request = `GET /v1/me HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-Host: ${header}\r\nAuthorization: Bearer ${other}\r\nConnection: close\r\n\r\n`
      return (await exchange(trusting.url, request)).status
    }
    try {
      assert.equal(await call('internal', HOST), 200)
      assert.equal(await call('internal', `first.test, ${HOST}`), 200)
      assert.equal(await call(HOST, 'localhost'), 200)
      assert.equal(await call('internal', `${HOST}, last.test`), 404)
      assert.equal(await call(HOST, 'paged.proxy.test'), 400)
    } finally {
      await trusting.stop()
    }
  })
})
