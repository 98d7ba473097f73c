import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, beforeEach, suite, test } from 'node:test'
import { revokeAnyToken } from '#identity/accounts.ts'
import { disconnectProfiles } from '#identity/disconnect.ts'
import { until } from '../../harness/until.ts'
import { type ProxyHarness, startProxyHarness } from './fixture.ts'
import { OK, type RawUpstream, startRawUpstream } from './raw-upstream.ts'

let upstream: RawUpstream
let harness: ProxyHarness
/** Requests that were sent without a promise. */
let started = 0
let nowMs = Date.now()
before(async () => {
  upstream = await startRawUpstream()
  harness = await startProxyHarness({ clock: { now: () => nowMs } })
  const { start } = harness.deps.upstream
  harness.deps.upstream.start = (...given) => {
    started += 1
    start!(...given)
  }
})
after(async () => {
  await harness.stop()
  await upstream.close()
})
beforeEach(() => {
  upstream.requests.length = 0
  upstream.response = OK
})

const connect = async (service = 'plain') => {
  nowMs += 1
  const { token, account } = await harness.connect({ service, apiUrl: upstream.url })
  return { token, account }
}
/** A person about whom everything is cached. */
const connectKnown = async (service = 'plain') => {
  const person = await connect(service)
  upstream.response = OK
  const write = { service, method: 'POST', body: 'x' }
  for (const each of [{ service }, write]) assert.equal((await call(person.token, each)).status, 200)
  upstream.requests.length = 0
  started = 0
  return person
}

interface Calling {
  service?: string
  method?: string
  path?: string
  body?: string
}
async function call(token: string, { service = 'plain', method = 'GET', path = '/x', body }: Calling = {}) {
  const content = body === undefined ? {} : { body }
  const headers = { authorization: `Bearer ${token}` }
  const url = `${harness.url}/proxy/${service}${path}`
  const response = await fetch(url, { method, headers, redirect: 'manual', ...content })
  // Those differ from call to call.
  const volatile = new Set(['date', 'x-request-id', 'x-tributary-budget-left', 'ratelimit'])
  const kept = [...response.headers].filter(([name]) => !volatile.has(name)).sort(([a], [b]) => (a < b ? -1 : 1))
  const text = await response.text().catch(() => 'broken off')
  return {
    status: response.status,
    headers: kept,
    text: text.replace(/"request_id":"\w+"/, ''),
    requests: [] as string[],
  }
}

const response = (status: number, body = '', ...lines: string[]) =>
  [`HTTP/1.1 ${status} X`, `Content-Length: ${body.length}`, ...lines].join('\r\n') + `\r\n\r\n${body}`
/** For the first request another response than for the next ones. */
const first = (write: (socket: Socket) => void) => {
  let requests = 0
  return (socket: Socket) => {
    requests += 1
    if (requests === 1) write(socket)
    else socket.write(OK)
  }
}
const LONG = 'x'.repeat(100_000)

type Respond = () => RawUpstream['response']
/** What a service may do, and whether a call of a known caller then stays on the short way to its end. */
const CASES: [string, Respond, Calling?][] = [
  [
    'a short body',
    () => response(200, '{}', 'Content-Type: application/json', 'Cache-Control: public', 'Set-Cookie: a=b'),
  ],
  ['a long body', () => response(200, LONG)],
  ['a body in chunks', () => 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'],
  ['no body', () => 'HTTP/1.1 204 X\r\n\r\n'],
  ['nothing new', () => 'HTTP/1.1 304 X\r\nETag: "a"\r\n\r\n'],
  [
    'links',
    () => response(200, '[]', `Link: <${upstream.url}/x?page=2>; rel="next", <https://other.test/>; rel="next"`),
  ],
  [
    'a redirect at the service',
    () => first((socket) => socket.write(response(302, '', `Location: ${upstream.url}/y`))),
  ],
  ['a redirect elsewhere', () => response(302, '', 'Location: https://other.test/')],
  ['a refusal of the credential', () => response(401, 'no', 'WWW-Authenticate: Bearer')],
  ['an absent record', () => response(404, '{"error":"none"}', 'Content-Type: application/json')],
  ['a fault', () => response(503, 'later', 'Retry-After: 1')],
  ['a broken connection', () => first((socket) => socket.destroy())],
  [
    'a short body that breaks off',
    () => first((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab')),
  ],
  ['a service that is gone', () => (socket) => socket.destroy()],
  ['a write', () => response(201, 'made'), { method: 'POST', body: LONG.slice(0, 1024) }],
  ['a write whose connection breaks', () => first((socket) => socket.destroy()), { method: 'POST', body: 'x' }],
  ['a long write', () => OK, { method: 'PUT', body: LONG.repeat(4) }],
  ['a path that leads outside', () => OK, { path: '/a/%2e%2e;/b' }],
  ['an alias of the service', () => OK, { service: 'simple' }],
]

suite('a call of a caller who called a moment ago', () => {
  for (const [what, respond, calling] of CASES)
    test(`is answered, and sent to the service, as a first call: ${what}`, async () => {
      const known = await connectKnown()
      const unknown = await connect()
      const results = []
      for (const { token } of [unknown, known]) {
        upstream.requests.length = 0
        upstream.response = respond()
        started = 0
        const result = await call(token, calling)
        results.push({ ...result, requests: [...upstream.requests] })
        const isStreamed = (calling?.body ?? '').length > 256 * 1024
        const isRefused = upstream.requests.length === 0 && calling?.path !== undefined
        assert.equal(started, token === unknown.token || isStreamed || isRefused ? 0 : 1)
      }
      assert.deepEqual(results[1], results[0])
    })

  test('is refused if it would hand the token to the service', async () => {
    const { token } = await connectKnown()
    for (const given of [
      { path: `/x?a=${token}` },
      { path: `/${token}` },
      { method: 'POST', body: `{"a":"${token}"}` },
    ])
      assert.equal((await call(token, given)).status, 400)
    assert.deepEqual(upstream.requests, [])
  })

  test('is refused once a response has said that no calls are left', async () => {
    const cases: [string, string][] = [
      ['keyed', response(200, 'ok', 'X-Left: 0', `X-Reset: ${nowMs + 60_000}`)],
      ['plain', response(429, 'no', 'Retry-After: 60')],
    ]
    for (const [service, last] of cases) {
      const { token } = await connectKnown(service)
      upstream.response = last
      assert.equal((await call(token, { service })).status, Number(last.slice(9, 12)))
      assert.equal(started, 1)
      upstream.response = OK
      assert.equal((await call(token, { service })).status, 429)
      assert.equal(upstream.requests.length, 1)
      nowMs += 120_000
    }
  })

  test('is refused within a second, and a write at once, after access ended in another process', async () => {
    const revoked = await connectKnown()
    const disconnected = await connectKnown()
    await revokeAnyToken(harness.store, revoked.token)
    await disconnectProfiles(harness.deps, disconnected.account, 'plain', 'test')
    // A write is verified at once.
    for (const { token } of [revoked, disconnected]) {
      const { status } = await call(token, { method: 'POST', body: 'x' })
      assert.ok(status === 401 || status === 404, String(status))
    }
    nowMs += 1001
    for (const { token } of [revoked, disconnected]) {
      const { status } = await call(token)
      assert.ok(status === 401 || status === 404, String(status))
    }
    assert.deepEqual(upstream.requests, [])
  })

  test('is in the call log, with what became of it', async () => {
    const { token, account: caller } = await connectKnown()
    upstream.response = response(404, 'none')
    await call(token, { path: '/absent' })
    upstream.response = response(200, 'here')
    await call(token, { path: '/present', method: 'POST', body: 'x' })
    assert.equal(started, 2)
    const entries = await until(
      'they are noted',
      async () => {
        const { body } = await harness.admin(`/admin/apps/${harness.appId}/calls?limit=1000`)
        return (body as Noted[]).filter(({ account, path }) => account === caller.id && path !== '/x')
      },
      ({ length }) => length === 2,
    )
    const shown = entries.map(({ method, path, status, bytes }) => `${method} ${path} ${status} ${bytes}`).sort()
    assert.deepEqual(shown, ['GET /absent 404 4', 'POST /present 200 4'])
  })
})

interface Noted {
  account: string
  method: string
  path: string
  status: number
  bytes: number
}
