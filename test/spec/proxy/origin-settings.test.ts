import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { suite, test } from 'node:test'
import { loadConfig } from '#config/config.ts'
import { proxyAddressOf } from '#config/proxy-origin.ts'
import { SetupError } from '#platform/errors.ts'
import { startTributary } from '../../harness/start.ts'
import { exchange } from '../operating/raw-http.ts'

const addressOf = (env: Record<string, string>) => proxyAddressOf(loadConfig(env), 'github')

suite('the address of a service for apps', () => {
  test('is its origin: the pattern that was set, else its port, else the name below localhost', () => {
    const pattern = { TRIBUTARY_PROXY_ORIGIN: 'https://{service}.proxy.test:8443' }
    const ports = { TRIBUTARY_PROXY_PORTS: 'github=8101,google=8102' }
    assert.equal(addressOf({ ...pattern, ...ports }), 'https://github.proxy.test:8443')
    assert.equal(addressOf({ ...ports, PORT: '80' }), 'http://localhost:8101')
    assert.equal(addressOf({ ...ports, BASE_URL: 'https://tributary.test/hub' }), 'https://tributary.test:8101')
    assert.equal(addressOf({ PORT: '9000' }), 'http://github.localhost:9000')
    assert.equal(addressOf({ BASE_URL: 'http://localhost' }), 'http://github.localhost')
  })

  test('is below /proxy where it has none', () => {
    assert.equal(addressOf({ BASE_URL: 'https://tributary.test' }), 'https://tributary.test/proxy/github')
    assert.equal(addressOf({ BASE_URL: 'http://127.0.0.1:8042' }), 'http://127.0.0.1:8042/proxy/github')
  })

  test('is refused where it could be that of the server itself', () => {
    for (const env of [
      { TRIBUTARY_PROXY_ORIGIN: 'https://{service}.example.com', BASE_URL: 'https://tributary.example.com' },
      { TRIBUTARY_PROXY_ORIGIN: 'https://{service}.example.com', BASE_URL: 'https://tributary.example.com:8443' },
      { TRIBUTARY_PROXY_ORIGIN: 'https://a-{service}.example.com', BASE_URL: 'https://a-b.example.com' },
      { TRIBUTARY_PROXY_PORTS: 'github=8042' },
      { TRIBUTARY_PROXY_PORTS: 'github=9000', PORT: '9000' },
    ])
      assert.throws(() => loadConfig(env), { name: 'SetupError', code: 'config_invalid' }, JSON.stringify(env))
    loadConfig({ TRIBUTARY_PROXY_ORIGIN: 'https://{service}.tributary.test', BASE_URL: 'https://tributary.test' })
  })
})

suite('a server with a port for a service', () => {
  test('serves only that service there, lists its address, and stops both', async () => {
    const tributary = await startTributary({}, {}, { proxyPorts: ['demo-social', 'demo-micro'] })
    const [social, micro] = [tributary.proxyOrigin('demo-social'), tributary.proxyOrigin('demo-micro')]
    try {
      assert.match(social, /^http:\/\/localhost:[1-9]\d+$/)
      assert.equal(new Set([social, micro, tributary.url]).size, 3)
      for (const url of [social, micro]) {
        const response = await fetch(`${url}/healthz`, { headers: { accept: 'text/html' } })
        assert.equal(response.status, 401)
        assert.match(response.headers.get('content-type') ?? '', /json/)
      }
      assert.equal((await fetch(`${tributary.url}/healthz`)).status, 200)
      const named = `GET /healthz HTTP/1.1\r\nHost: demo-health.localhost\r\nConnection: close\r\n\r\n`
      assert.equal((await exchange(tributary.url, named)).status, 401)

      const services = (await (await fetch(`${tributary.url}/services`)).json()) as Record<string, { proxy: string }>
      assert.equal(services['demo-social']?.proxy, social)
      assert.equal(services['demo-health']?.proxy, tributary.url.replace('localhost', 'demo-health.localhost'))

      const metrics = await fetch(`${tributary.url}/metrics`, {
        headers: { authorization: `Bearer ${tributary.adminToken}` },
      })
      const count = /request_seconds_count\{method="GET",route="\/proxy\/:service\/\*",status="401"\} (\d+)/
      assert.equal(count.exec(await metrics.text())?.[1], '3')
    } finally {
      await tributary.stop()
    }
    for (const url of [social, micro, tributary.url]) await assert.rejects(fetch(url))
  })

  test('does not start where the port is taken, and names the setting', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const isRefusal = (error: unknown) =>
      error instanceof SetupError && error.code === 'port_taken' && /TRIBUTARY_PROXY_PORTS/.test(error.help ?? '')
    try {
      await assert.rejects(startTributary({ TRIBUTARY_PROXY_PORTS: `demo-social=${port}` }), isRefusal)
    } finally {
      other.close()
    }
  })

  test('does not start where the service does not exist', async () => {
    await assert.rejects(startTributary({ TRIBUTARY_PROXY_PORTS: 'nothing=0' }), /names the service nothing/)
  })
})
