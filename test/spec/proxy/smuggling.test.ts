import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { exchange } from '../operating/raw-http.ts'
import { type ProxyHarness, startProxyHarness, TOKEN } from './fixture.ts'
import { OK, type RawUpstream, startRawUpstream } from './raw-upstream.ts'

interface Sent {
  method?: string
  target?: string
  version?: string
  /** After Host and Authorization, before the end of the headers. */
  headers?: string[]
  /** Replaces Host and Authorization. */
  first?: string[]
  body?: string
}

/** The exact bytes that the service must receive; or the status of a call that must not reach it. */
type Received =
  | { method?: string; path?: string; headers?: string[]; length?: number; body?: string }
  | { refused: number[] }

let upstream: RawUpstream
let harness: ProxyHarness
let token: string
before(async () => {
  upstream = await startRawUpstream()
  harness = await startProxyHarness()
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

function bytesOf({ method = 'GET', target = '/proxy/plain/me', version = '1.1', headers = [], first, body }: Sent) {
  const opening = first ?? ['Host: tributary.test', 'Authorization: Bearer $TOKEN']
  const lines = [`${method} ${target} HTTP/${version}`, ...opening, ...headers, 'Connection: close']
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`.replaceAll('$TOKEN', token)
}

function rebuilt({
  method = 'GET',
  path = '/v1/me',
  headers = [],
  length,
  body = '',
}: Exclude<Received, { refused: number[] }>) {
  return [
    `${method} ${path} HTTP/1.1`,
    `host: ${upstream.host}`,
    `connection: ${method === 'HEAD' ? 'close' : 'keep-alive'}`,
    ...(headers.some((line) => line.startsWith('user-agent:')) ? [] : ['user-agent: Tributary']),
    ...headers,
    `authorization: Bearer ${TOKEN}`,
    ...(length === undefined ? [] : [`content-length: ${length}`]),
    '',
    body,
  ].join('\r\n')
}

const FORM = 'Content-Type: text/plain'
const PASSED = 'content-type: text/plain'
const post = (headers: string[], body: string): Sent => ({ method: 'POST', headers: [FORM, ...headers], body })
const hello: Received = { method: 'POST', headers: [PASSED], length: 5, body: 'hello' }
const INNER = 'GET /v1/evil HTTP/1.1\r\nHost: evil\r\n\r\n'
const plainGet: Received = {}
const refused: Received = { refused: [400] }

const CASES: [what: string, sent: Sent, received: Received][] = [
  ['a length and chunks', post(['Content-Length: 5', 'Transfer-Encoding: chunked'], '0\r\n\r\n'), refused],
  [
    'chunks and a length',
    post(['Transfer-Encoding: chunked', 'Content-Length: 5'], '5\r\nhello\r\n0\r\n\r\n'),
    refused,
  ],
  ['the same length twice', post(['Content-Length: 5', 'Content-Length: 5'], 'hello'), refused],
  ['two lengths', post(['Content-Length: 5', 'Content-Length: 6'], 'hello!'), refused],
  ['two lengths in one line', post(['Content-Length: 5, 5'], 'hello'), refused],
  ['a length with a sign', post(['Content-Length: +5'], 'hello'), refused],
  ['a negative length', post(['Content-Length: -5'], 'hello'), refused],
  ['a hexadecimal length', post(['Content-Length: 0x5'], 'hello'), refused],
  ['a length with a space in it', post(['Content-Length: 5 5'], 'hello'), refused],
  ['a length beyond all numbers', post(['Content-Length: 99999999999999999999'], 'hello'), refused],
  ['chunks that are not last', post(['Transfer-Encoding: chunked, identity'], '0\r\n\r\n'), refused],
  ['an unknown coding', post(['Transfer-Encoding: xchunked'], '0\r\n\r\n'), refused],
  ['a coding behind a control character', post(['Transfer-Encoding: \x0bchunked'], '0\r\n\r\n'), refused],
  ['chunks twice', post(['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], '0\r\n\r\n'), refused],
  ['a space before the colon', post(['Transfer-Encoding : chunked'], '0\r\n\r\n'), refused],
  ['a folded coding', post(['Transfer-Encoding:\r\n chunked'], '0\r\n\r\n'), refused],
  ['chunks of no size', post(['Transfer-Encoding: chunked'], '\r\nhello\r\n0\r\n\r\n'), refused],
  ['chunks of a negative size', post(['Transfer-Encoding: chunked'], '-5\r\nhello\r\n0\r\n\r\n'), refused],
  ['a chunk that is larger than it says', post(['Transfer-Encoding: chunked'], '3\r\nhello\r\n0\r\n\r\n'), refused],
  [
    'a chunk size that overflows',
    post(['Transfer-Encoding: chunked'], '10000000000000005\r\nhello\r\n0\r\n\r\n'),
    refused,
  ],
  ['chunks that end in a line feed alone', post(['Transfer-Encoding: chunked'], '5\nhello\n0\n\n'), refused],
  ['honest chunks', post(['Transfer-Encoding: chunked'], '2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n'), hello],
  ['chunk extensions', post(['Transfer-Encoding: chunked'], '5;x="a;b"\r\nhello\r\n0\r\n\r\n'), hello],
  [
    'trailers that look like headers',
    post(
      ['Trailer: Authorization', 'Transfer-Encoding: chunked'],
      '5\r\nhello\r\n0\r\nAuthorization: Bearer evil\r\nX-A: b\r\n\r\n',
    ),
    hello,
  ],
  [
    'a second request inside the body',
    post([`Content-Length: ${INNER.length}`], INNER),
    { method: 'POST', headers: [PASSED], length: INNER.length, body: INNER },
  ],
  ['a body on a GET', { headers: [FORM, 'Content-Length: 5'], body: 'hello' }, { ...hello, method: 'GET' }],
  ['Connection that names Authorization', { headers: ['Connection: authorization'] }, plainGet],
  [
    'Connection that names Host and User-Agent',
    { headers: ['User-Agent: a', 'Connection: host, user-agent'] },
    plainGet,
  ],
  ['a header that Connection names', { headers: ['X-Once: 1', 'Connection: close, x-once'] }, plainGet],
  ['a folded header', { headers: ['X-Fold: a\r\n b'] }, refused],
  ['a header hidden behind a carriage return', { headers: ['X-A: a\rX-B: b'] }, refused],
  ['a header hidden behind a line feed', { headers: ['X-A: a\nX-Forwarded-For: b'] }, refused],
  ['a zero byte in a value', { headers: ['X-A: a\x00b'] }, refused],
  ['a space in a name', { headers: ['X A: b'] }, refused],
  ['no name', { headers: [': b'] }, refused],
  ['two hosts', { headers: ['Host: evil.test'] }, plainGet],
  ['no host', { first: ['Authorization: Bearer $TOKEN'] }, refused],
  ['another host', { first: ['Host: evil.test@internal:1', 'Authorization: Bearer $TOKEN'] }, plainGet],
  ['a whole address as the target', { target: 'http://evil.test/proxy/plain/me' }, plainGet],
  ['a whole address of another scheme', { target: 'ftp://evil.test/proxy/plain/me' }, { refused: [400, 404] }],
  ['Expect: 100-continue', post(['Expect: 100-continue', 'Content-Length: 5'], 'hello'), hello],
  ['another expectation', { headers: ['Expect: everything'] }, { refused: [400, 417] }],
  ['a websocket', { headers: ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Key: x'] }, refused],
  [
    'another upgrade',
    { headers: ['Upgrade: h2c', 'Connection: Upgrade, HTTP2-Settings', 'HTTP2-Settings: x'] },
    plainGet,
  ],
  [
    'tales of where it came from',
    {
      headers: [
        'X-Forwarded-For: 1.2.3.4',
        'X-Forwarded-Host: evil',
        'X-Forwarded-Proto: https',
        'Forwarded: for=1.2.3.4',
        'X-Real-IP: 1.2.3.4',
        'X-Client-IP: 1.2.3.4',
        'True-Client-IP: 1.2.3.4',
        'Via: 1.1 x',
      ],
    },
    plainGet,
  ],
  [
    'cookies and what browsers tell',
    {
      headers: [
        'Cookie: a=b',
        'Cookie2: a',
        'Referer: https://a.test/',
        'Origin: https://a.test',
        'Sec-Fetch-Site: none',
        'DNT: 1',
      ],
    },
    plainGet,
  ],
  [
    'hop-by-hop headers',
    { headers: ['Proxy-Authorization: Basic eDp5', 'Proxy-Connection: keep-alive', 'Keep-Alive: 5', 'TE: trailers'] },
    plainGet,
  ],
  [
    'another method or address in a header',
    {
      headers: [
        'X-HTTP-Method-Override: DELETE',
        'X-Method-Override: PUT',
        'X-Original-URL: /admin',
        'X-Rewrite-URL: /admin',
        'X-Host: evil',
      ],
    },
    plainGet,
  ],
  ['headers of ours', { headers: ['X-Tributary-Refreshed: true', 'X-Request-Id: 0123456789'] }, plainGet],
  ['a second Authorization', { headers: ['Authorization: Bearer evil'] }, plainGet],
  ['HTTP/1.0', { version: '1.0' }, plainGet],
  ['a version before all headers', { version: '0.9' }, plainGet],
  ['a version that is none', { version: '9.9' }, { refused: [400, 505] }],
  ['a method in lower case', { method: 'get' }, refused],
  ['an unknown method', { method: 'FOO' }, refused],
  ['CONNECT', { method: 'CONNECT', target: 'evil.test:443' }, { refused: [0, 400, 404, 405] }],
  ['TRACE', { method: 'TRACE' }, { refused: [404, 405] }],
  ['headers of 20 KB', { headers: [`X-Big: ${'x'.repeat(20_000)}`] }, { refused: [431] }],
  ['three thousand headers', { headers: Array.from({ length: 3000 }, (_, i) => `X-A${i}: b`) }, { refused: [431] }],
  ['bytes beyond ASCII in a value', { headers: ['X-Note: caf\xc3\xa9'] }, { headers: ['x-note: caf\xc3\xa9'] }],
  [
    'headers that services need',
    {
      headers: [
        'Accept: a/b',
        'User-Agent: My/1',
        'If-None-Match: "x"',
        'Range: bytes=0-1',
        'X-GitHub-Api-Version: 1',
        'Notion-Version: 2',
        'Idempotency-Key: k',
        'atproto-proxy: did:web:x',
      ],
    },
    {
      headers: [
        'user-agent: My/1',
        'accept: a/b',
        'if-none-match: "x"',
        'range: bytes=0-1',
        'x-github-api-version: 1',
        'notion-version: 2',
        'idempotency-key: k',
        'atproto-proxy: did:web:x',
      ],
    },
  ],
  ['a repeated header', { headers: ['X-A: 1', 'X-A: 2'] }, { headers: ['x-a: 1, 2'] }],
]

suite('S38 the service receives a rebuilt request, byte for byte, whatever the app sent', () => {
  for (const [what, sent, received] of CASES) {
    test(what, async () => {
      const { status, body } = await exchange(harness.url, bytesOf(sent))
      if ('refused' in received) {
        assert.ok(received.refused.includes(status), `${status} ${body}`)
        assert.deepEqual(upstream.requests, [])
      } else {
        assert.ok(status === 200 || status === 100, `${status} ${body}`)
        assert.deepEqual(upstream.requests, [rebuilt(received)])
      }
    })
  }

  test('two requests on one connection stay two', async () => {
    const one = bytesOf({}).replace('Connection: close\r\n', '')
    const { body } = await exchange(harness.url, one + bytesOf({ target: '/proxy/plain/other' }))
    assert.match(body, /HTTP\/1\.1 200 OK/)
    // Pipelined requests are forwarded concurrently: they may arrive in either order.
    assert.deepEqual(upstream.requests.toSorted(), [rebuilt({}), rebuilt({ path: '/v1/other' })].toSorted())
  })

  test('bytes after a refused body are not parsed as a request', async () => {
    const evil = bytesOf({ target: '/proxy/plain/evil' })
    const { status, body } = await exchange(
      harness.url,
      bytesOf(post(['Content-Length: 5', 'Transfer-Encoding: chunked'], `0\r\n\r\n${evil}`)).replace(
        'Connection: close\r\n',
        '',
      ),
    )
    assert.equal(status, 400)
    assert.doesNotMatch(body, /HTTP\/1\.1 200/)
    assert.deepEqual(upstream.requests, [])
  })
})
