import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { exchange } from '../operating/raw-http.ts'
import { type ProxyHarness, startProxyHarness, TOKEN } from './fixture.ts'
import { type RawUpstream, startRawUpstream } from './raw-upstream.ts'

let upstream: RawUpstream
let harness: ProxyHarness
let token: string
before(async () => {
  upstream = await startRawUpstream()
  harness = await startProxyHarness()
  token = (await harness.connect({ apiUrl: `${upstream.url}/api/v1` })).token
  const { account } = await harness.connect({ service: 'keyed', apiUrl: upstream.url })
  token = (await harness.connect({ apiUrl: `${upstream.url}/api/v1`, account: account.id, nativeId: '42' })).token
})
after(async () => {
  await harness.stop()
  await upstream.close()
})
beforeEach(() => {
  upstream.requests.length = 0
})

async function callProxy(
  target: string,
): Promise<{ status: number; received: string | undefined; host: string | undefined }> {
  const lines = [
    `GET ${target.replaceAll('$TOKEN', token)} HTTP/1.1`,
    'Host: x',
    ...(target.includes('$TOKEN') ? [] : [`Authorization: Bearer ${token}`]),
    'Connection: close',
  ]
  const { status } = await exchange(harness.url, `${lines.join('\r\n')}\r\n\r\n`)
  assert.ok(upstream.requests.length <= 1)
  const [request] = upstream.requests
  const [, received] = request?.split(' ', 2) ?? []
  return { status, received, host: /\r\nhost: (\S+)/.exec(request ?? '')?.[1] }
}

/** The path that the service receives; nothing when the call is refused. */
const TRICKS: [target: string, received: string | undefined][] = [
  ['/proxy/plain/me', '/api/v1/me'],
  ['/v0/proxy/plain/me', '/api/v1/me'],
  ['/proxy/plain', '/api/v1'],
  ['/proxy/plain/', '/api/v1/'],
  ['/proxy/simple/me', '/api/v1/me'],
  ['/%70roxy/plain/me', '/api/v1/me'],
  ['/proxy/pl%61in/me', '/api/v1/me'],
  ['/proxy/plain/a/../b', '/api/v1/b'],
  ['/proxy/plain/./a/./b', '/api/v1/a/b'],
  ['/proxy/plain/../secret', undefined],
  ['/proxy/plain/a/../../../secret', undefined],
  ['/proxy/plain/%2e%2e/secret', undefined],
  ['/proxy/plain/%2E./secret', undefined],
  ['/proxy/plain/..%2fsecret', undefined],
  ['/proxy/plain/a%2f..%2f..%2fsecret', undefined],
  ['/proxy/plain/..%5csecret', undefined],
  ['/proxy/plain/..\\..\\secret', undefined],
  ['/proxy/plain/%252e%252e/secret', undefined],
  ['/proxy/plain/%252e%252e%252fsecret', undefined],
  ['/proxy/plain/%25252e%25252e/secret', undefined],
  ['/proxy/plain/..;/secret', undefined],
  ['/proxy/plain/..;x=1/secret', undefined],
  ['/proxy/plain/%2e%2e%3b/secret', undefined],
  ['/proxy/plain//evil.test/x', undefined],
  ['/proxy/plain/\\evil.test/x', undefined],
  ['/proxy/plain//evil/x', '/api/v1//evil/x'],
  ['/proxy/plain/http://evil.test/x', undefined],
  ['/proxy/plain/@evil.test/x', '/api/v1/@evil.test/x'],
  ['/proxy/plain@evil.test/x', undefined],
  ['/proxy/plain:80@evil.test/x', undefined],
  ['/proxy/plain%2f..%2fkeyed/x', undefined],
  ['/proxy/plain/me;jsessionid=1', '/api/v1/me;jsessionid=1'],
  ['/proxy/plain/a%2Fb', '/api/v1/a%2Fb'],
  ['/proxy/plain/100%25', '/api/v1/100%25'],
  ['/proxy/plain/a%0d%0aX-Evil:%201', '/api/v1/a%0d%0aX-Evil:%201'],
  ['/proxy/plain/a%00b', '/api/v1/a%00b'],
  ['/proxy/plain/100%', undefined],
  ['/proxy/plain/caf\xc3\xa9?q=\xc3\xa9', undefined],
  ['/proxy/plain/a#b', undefined],
  ['/proxy/plain/a?x#b', undefined],
  ['/proxy/plain/me?access_token=$TOKEN', '/api/v1/me'],
  ['/proxy/plain/me?a=1&access_token=$TOKEN&b=2', '/api/v1/me?a=1&b=2'],
  ['/proxy/plain/me?a=1&access%5Ftoken=$TOKEN', '/api/v1/me?a=1'],
  ['/proxy/plain/me?access_token=$TOKEN&access_token=evil', undefined],
  ['/proxy/plain/me?ACCESS_TOKEN=x&access_token[]=y', '/api/v1/me?ACCESS_TOKEN=x&access_token[]=y'],
  ['/proxy/plain/me?paginate=false&a', '/api/v1/me?a'],
  ['/proxy/plain/me?paginate=perhaps', undefined],
  ['/proxy/plain/me?b=2&a=%7e~+%20&&c=?/;', '/api/v1/me?b=2&a=%7e~+%20&c=?/;'],
  ['/proxy/plain/me?', '/api/v1/me'],
  ['/proxy/plain/me??x', '/api/v1/me??x'],
  [`/proxy/plain/${'x'.repeat(6000)}`, `/api/v1/${'x'.repeat(6000)}`],
  ['/proxy/keyed/me?flag&a=%7e', `/me?flag&a=%7e&v=2&key=${TOKEN}`],
  ['/proxy/keyed/me?v=3&key=mine', `/me?v=3&key=${TOKEN}`],
  ['/proxy/keyed/me?k%65y=mine&key=mine', `/me?key=${TOKEN}&v=2`],
]

suite('S39 the path stays below the service’s own address, and our own parameters are not forwarded', () => {
  for (const [target, expected] of TRICKS) {
    test(target.slice(0, 60), async () => {
      const { status, received, host } = await callProxy(target)
      assert.equal(received, expected)
      if (expected === undefined) assert.ok([400, 404].includes(status), String(status))
      else assert.deepEqual([status, host], [200, upstream.host])
    })
  }
})
