import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { examineProxyOrigin } from './examine-proxy-origin.ts'

const at = (proxyOrigin: string | undefined, baseUrl = 'https://tributary.example') =>
  examineProxyOrigin({ baseUrl, proxyOrigin })

/** A pattern on this machine: the name is that of an address, so nothing has to resolve. */
async function serving(answer: RequestListener, use: (pattern: string) => Promise<void>) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test('without a pattern, services are below /proxy', async () => {
  assert.deepEqual(await at(undefined), {
    name: 'proxy origin',
    state: 'ok',
    detail: 'none; services are below https://tributary.example/proxy',
  })
})

test('a name that does not resolve is told, with what to do', async () => {
  const { state, detail, help } = await at('https://{service}.proxy.invalid')
  assert.equal(state, 'warn')
  assert.match(detail, /^tributary-doctor\.proxy\.invalid does not resolve \(E/)
  assert.match(help ?? '', /DNS record for \*\.proxy\.invalid, or give services ports in TRIBUTARY_PROXY_PORTS/)
})

test('an origin is one only if it refuses as the proxy does, and knows the request', async () => {
  const answers: [state: string, detail: RegExp, RequestListener][] = [
    [
      'ok',
      /127/,
      ({ headers }, response) =>
        void response
          .writeHead(401)
          .end(JSON.stringify({ reason: 'token_missing', request_id: headers['x-request-id'] })),
    ],
    ['warn', /status 401/, (_, response) => void response.writeHead(401).end('{"reason":"token_missing"}')],
    [
      'warn',
      /status 200/,
      ({ headers }, response) => void response.end(`"token_missing" ${String(headers['x-request-id'])}`),
    ],
    ['warn', /status 302/, (_, response) => void response.writeHead(302, { location: 'https://a.example/' }).end()],
    ['warn', /cannot be called/, (request) => void request.socket.destroy()],
  ]
  for (const [expected, pattern, answer] of answers)
    await serving(answer, async (url) => {
      const { state, detail, help } = await at(url)
      assert.equal(state, expected, detail)
      assert.match(detail, pattern)
      assert.equal(help === undefined, expected === 'ok')
    })
})

test('an origin without a valid certificate, or that refuses the connection, is told', async () => {
  await serving(
    (_, response) => void response.end(),
    async (url) => {
      const { state, detail } = await at(url.replace('http:', 'https:'))
      assert.deepEqual([state, /cannot be called/.test(detail)], ['warn', true])
    },
  )
})

test('names below localhost may be resolved by the programs that use them', async () => {
  const { state } = await at(undefined, 'http://localhost:8042')
  assert.equal(state, 'ok')
})
