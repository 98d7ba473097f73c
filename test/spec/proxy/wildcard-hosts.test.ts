import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { defineConnector } from '#kit/connector/connector.ts'
import { LOOPBACK_RANGES } from '../../harness/loopback.ts'
import { plain } from './connectors.ts'
import { type ProxyHarness, startProxyHarness } from './fixture.ts'
import { type RawUpstream, startRawUpstream } from './raw-upstream.ts'

// The names below the wildcard lead to this machine, which the operator allows, and people are not allowed to name.

let inside: RawUpstream
let api: RawUpstream
let harness: ProxyHarness
let token: string
const looked: string[] = []
before(async () => {
  inside = await startRawUpstream()
  api = await startRawUpstream()
  const wild = defineConnector({
    ...plain,
    service: 'wild',
    aliases: [],
    api: {
      ...plain.api,
      baseUrl: `${api.url}/v1`,
      hosts: ['https://exact.wild.example', 'https://*.wild.example'],
      pathHosts: { '/v1/sheets': 'https://exact.wild.example', '/v1/docs': 'https://docs.wild.example' },
    },
  })
  harness = await startProxyHarness({
    connectors: [wild],
    egress: {
      allowPrivate: LOOPBACK_RANGES,
      allowPrivateTyped: [],
      connectTimeoutMs: 2000,
      resolve: (name) => {
        looked.push(name)
        return Promise.resolve([{ address: '127.0.0.1' }])
      },
    },
  })
  token = (await harness.connect({ service: 'wild' })).token
})
after(async () => {
  await harness.stop()
  for (const each of [inside, api]) await each.close()
})

async function call(path: string) {
  looked.length = 0
  const response = await fetch(`${harness.url}/proxy/wild/${path}`, {
    redirect: 'manual',
    headers: { authorization: `Bearer ${token}` },
  })
  const { reason, error } = (await response.json()) as { reason: string; error: string }
  return { status: response.status, reason, error, looked: [...new Set(looked)] }
}

suite('a host that a wildcard covers', () => {
  test('is looked up, and called only where a person may lead us: the caller has chosen it', async () => {
    const { status, error, looked: names } = await call('https://any.wild.example/x')
    assert.equal(status, 502)
    assert.deepEqual(names, ['any.wild.example'])
    assert.match(error, /any\.wild\.example/)
  })

  test('is checked in the same way when a path leads there', async () => {
    const named = await call('https://docs.wild.example/v1/docs')
    const byPath = await call('docs')
    assert.deepEqual([byPath.status, byPath.reason, byPath.looked], [named.status, named.reason, named.looked])
  })

  test('is another one than a host that the connector names, which is the operator’s', async () => {
    const exact = await call('https://exact.wild.example/x')
    const any = await call('https://any.wild.example/x')
    assert.deepEqual([exact.status, exact.looked], [502, ['exact.wild.example']])
    assert.notEqual(exact.error.replace('exact', 'any'), any.error)
  })

  test('is not called where the name does not match', async () => {
    for (const host of [
      'wild.example',
      'a.b.wild.example',
      'any.wild.example:8443',
      'evilwild.example',
      '*.wild.example',
    ]) {
      const { status, error, looked: names } = await call(`https://${host}/x`)
      assert.equal(status, 400, host)
      assert.match(
        error,
        /these hosts for this service: .*, https:\/\/exact\.wild\.example, https:\/\/\*\.wild\.example\.$/,
      )
      assert.deepEqual(names, [])
    }
    assert.equal((await call('http://any.wild.example/x')).status, 400)
  })

  test('is not followed by a redirect: signed addresses need no credential', async () => {
    api.response = 'HTTP/1.1 302 Found\r\nLocation: https://any.wild.example/signed\r\nContent-Length: 0\r\n\r\n'
    looked.length = 0
    const response = await fetch(`${harness.url}/proxy/wild/x`, {
      redirect: 'manual',
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(response.status, 302)
    assert.deepEqual(
      looked.filter((name) => name !== '127.0.0.1'),
      [],
    )
  })

  test('is where links of the service lead through the proxy, as for its other hosts', async () => {
    const address = 'https://any.wild.example/upload?upload_id=1'
    api.response = `HTTP/1.1 201 Created\r\nLocation: ${address}\r\nContent-Length: 0\r\n\r\n`
    const { headers } = await fetch(`${harness.url}/proxy/wild/x`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(headers.get('location'), `http://localhost/proxy/wild/${address}`)
  })
})
