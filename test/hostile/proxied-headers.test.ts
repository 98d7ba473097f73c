import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { rateFrom } from '#kit/connector/rate.ts'
import { type ProxyHarness, startProxyHarness, TOKEN } from '../spec/proxy/fixture.ts'
import { type RawUpstream, startRawUpstream } from '../spec/proxy/raw-upstream.ts'

/** Headers that a proxied response must not set on our origin or send to the proxy in front of us. */
const WITHHELD: Record<string, string> = {
  'referrer-policy': 'unsafe-url',
  'clear-site-data': '"*"',
  'set-cookie': 'a=b; Path=/',
  'set-cookie2': 'a=b',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'public-key-pins': 'pin-sha256="a"; max-age=1',
  'public-key-pins-report-only': 'pin-sha256="a"',
  'service-worker-allowed': '/',
  refresh: '0; url=https://evil.test/',
  nel: '{"report_to":"a","max_age":1}',
  'report-to': '{}',
  'reporting-endpoints': 'a="https://evil.test/"',
  'alt-svc': 'h2="evil.test:443"; ma=86400',
  'alternate-protocol': '443:npn-spdy/3',
  'access-control-allow-origin': 'https://evil.test',
  'access-control-allow-credentials': 'true',
  'access-control-expose-headers': 'evil',
  'x-frame-options': 'ALLOWALL',
  'content-security-policy': 'default-src *',
  'content-security-policy-report-only': 'default-src *',
  'x-content-security-policy': 'default-src *',
  'x-webkit-csp': 'default-src *',
  'permissions-policy': 'camera=*',
  'feature-policy': 'camera *',
  'document-policy': 'force-load-at-top',
  'cross-origin-opener-policy': 'unsafe-none',
  'cross-origin-embedder-policy': 'require-corp; report-to="a"',
  'cross-origin-resource-policy': 'cross-origin',
  'origin-agent-cluster': '?1',
  'timing-allow-origin': '*',
  'x-permitted-cross-domain-policies': 'all',
  'x-xss-protection': '1; report=https://evil.test/',
  'x-dns-prefetch-control': 'on',
  'speculation-rules': '"https://evil.test/rules"',
  'origin-trial': 'AAAA',
  'accept-ch': 'Sec-CH-UA-Model',
  'critical-ch': 'Sec-CH-UA-Model',
  'set-login': 'logged-in',
  'sec-session-registration': '(ES256);path="/x"',
  'use-as-dictionary': 'match="/*"',
  'no-vary-search': 'params',
  'attribution-reporting-register-source': '{}',
  'observe-browsing-topics': '?1',
  'activate-storage-access': 'load',
  sourcemap: 'https://evil.test/map',
  // Instructions for the proxy in front of us.
  'x-accel-redirect': '/internal/secrets',
  'x-accel-buffering': 'no',
  'x-accel-expires': '31536000',
  'x-sendfile': '/etc/passwd',
  'x-lighttpd-send-file': '/etc/passwd',
  'x-litespeed-location': '/internal',
  'x-reproxy-url': 'http://127.0.0.1/',
  'surrogate-control': 'max-age=31536000',
  'surrogate-key': 'all',
  'cdn-cache-control': 'public, max-age=31536000',
  'cloudflare-cdn-cache-control': 'public, max-age=31536000',
  'edge-control': 'cache-maxage=1d',
}

/** Headers that apps read. */
const PASSED: Record<string, string> = {
  etag: '"1"',
  'x-ratelimit-remaining': '7',
  'retry-after': '7',
  'x-github-media-type': 'github.v3',
  'content-disposition': 'attachment; filename="a.txt"',
  'last-modified': 'Mon, 16 Nov 2026 00:00:00 GMT',
}

suite('headers of proxied responses', () => {
  let upstream: RawUpstream
  let other: RawUpstream
  let harness: ProxyHarness
  let token: string
  const network = defineConnector({
    service: 'network',
    title: 'Network',
    docs: 'https://network.test/',
    auth: oauth2({
      authorizeUrl: 'https://network.test/authorize',
      tokenUrl: 'https://network.test/token',
      home: { document: () => 'https://network.test/', read: () => undefined, apiPath: '' },
    }),
    api: {
      baseUrl: 'https://network.test',
      limits: { app: { calls: 3000, perS: 300 } },
      rate: rateFrom({ remaining: 'ratelimit-remaining', reset: 'ratelimit-reset' }),
    },
    self: self<{ id: string }>('/me', ({ id }) => ({ id })),
  })
  before(async () => {
    upstream = await startRawUpstream()
    other = await startRawUpstream()
    harness = await startProxyHarness({ connectors: [network] })
    token = (await harness.connect({ apiUrl: upstream.url })).token
  })
  after(async () => {
    await harness.stop()
    await upstream.close()
    await other.close()
  })

  const reply = (headers: Record<string, string>, status = '200 OK') =>
    `${[`HTTP/1.1 ${status}`, 'Content-Length: 2', ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join('\r\n')}\r\n\r\n[]`
  /** The raw headers: `fetch` hides some. */
  const ask = (service = 'plain', whose = token) =>
    new Promise<{ status: number; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
      request(`${harness.url}/proxy/${service}/x?access_token=${whose}`, (response) => {
        response.resume()
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers }))
      })
        .on('error', reject)
        .end()
    })

  test('headers that browsers or servers obey are removed, and those that apps read are kept', async () => {
    upstream.response = reply({ ...WITHHELD, ...PASSED })
    const { status, headers } = await ask()
    assert.equal(status, 200)
    const obeyed = Object.entries(WITHHELD).filter(([name, value]) => String(headers[name]) === value)
    assert.deepEqual(obeyed, [])
    for (const [name, value] of Object.entries(PASSED)) assert.equal(headers[name], value, name)
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.match(String(headers['content-security-policy']), /^sandbox; default-src 'none'/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
  })

  test('challenges that make a browser ask for a password are removed', async () => {
    for (const challenge of [
      'Basic realm="Tributary"',
      'basic realm="x"',
      'Digest realm="x", nonce="y"',
      'Negotiate',
      'NTLM TlRMTVNTUAAB',
      'Bearer realm="x", Basic realm="y"',
      'bearer,\tbasic realm=y',
      'Mutual realm="x"',
      'Unheard-Of a=b',
      '',
    ]) {
      upstream.response = reply({ 'www-authenticate': challenge }, '403 Forbidden')
      const { status, headers } = await ask()
      assert.deepEqual([status, headers['www-authenticate']], [403, undefined], challenge)
    }
    const useful = 'Bearer error="insufficient_scope", scope="notes"'
    upstream.response = reply({ 'www-authenticate': useful }, '403 Forbidden')
    assert.equal((await ask()).headers['www-authenticate'], useful)
  })

  test('links to other pages are kept and lead to the proxy, but none that a browser fetches by itself', async () => {
    const next = '<?page=2>; rel="next", </x?page=9>; rel="last"'
    const led =
      '<http://localhost/proxy/plain/x?page=2>; rel="next", <http://localhost/proxy/plain/x?page=9>; rel="last"'
    for (const [given, passed] of [
      [next, led],
      ['<https://evil.test/x?page=2>; rel="next"', undefined],
      ['<https://evil.test/a.js>; rel=preload; as=script', undefined],
      [`<https://evil.test/>; rel="preconnect", ${next}`, led],
      ['<https://evil.test/a.css>; rel="StyleSheet next"', undefined],
      ['<https://evil.test/>; REL = "dns-prefetch", <https://evil.test/d>; rel="compression-dictionary"', undefined],
    ] as const) {
      upstream.response = reply({ link: given })
      assert.equal((await ask()).headers['link'], passed, given)
    }
  })

  test('rate limits of one person’s server apply to that server only', async () => {
    const connect = async (nativeId: string, at: RawUpstream) =>
      (
        await harness.connect({
          service: 'network',
          apiUrl: '',
          overrides: {},
          nativeId,
          credential: { token: TOKEN, instance: { api_url: at.url } },
        })
      ).token
    const [mallory, victim, neighbour] = [
      await connect('mallory', upstream),
      await connect('victim', other),
      await connect('neighbour', upstream),
    ]
    other.response = reply({})
    upstream.response = reply({ 'ratelimit-remaining': '0', 'ratelimit-reset': '999999999999' })
    assert.equal((await ask('network', mallory)).status, 200)
    assert.equal((await ask('network', victim)).status, 200)
    const held = await ask('network', neighbour)
    assert.equal(held.status, 429)
    assert.ok(Number(held.headers['retry-after']) <= 3600, String(held.headers['retry-after']))
  })
})
