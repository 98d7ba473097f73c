// Responses that cannot be written as a route wanted them.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { ServerParts } from '#http/exchange/request.ts'
import { createHttpServer, type HttpRoute, type HttpServer, type Rules } from '#http/exchange/serve.ts'
import { startTributary, type Tributary } from '../../../harness/start.ts'
import { openWire, type Wire } from './fixture.ts'
import { transcriptOf } from './transcript.ts'

let tributary: Tributary
let wire: Wire
before(async () => {
  tributary = await startTributary()
  wire = await openWire(tributary)
})
after(async () => {
  await wire.close()
  await tributary.stop()
})

test('QUERY is refused like other methods that no address takes', async () => {
  for (const path of ['/nothing', '/post']) {
    const bytes = `QUERY ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
    assert.match(await transcriptOf(wire, bytes), /^404 Not Found .*\n40404 not_found: /)
  }
  assert.deepEqual(
    wire.logged().filter(({ message }) => message === 'a request failed'),
    [],
  )
})

suite('a response that cannot be written', () => {
  const failures: unknown[] = []
  let server: HttpServer
  let url: string
  const rules: Rules = {
    bodies: { maxBytes: 0, parsers: new Map() },
    idOf: () => 'id',
    locate: ({ url: path = '' }) => ({ url: path, origin: undefined }),
    onRequest: () => {},
    onSend: () => {},
    onResponse: () => {},
    onError: (error, _request, reply) => {
      failures.push((error as Error).message)
      reply.code(418).send('refused')
    },
    onUnreadable: (_error, socket) => void socket.destroy(),
  }
  const get = (path: string, route: Omit<HttpRoute, 'methods' | 'url'>) =>
    server.route({ methods: ['GET'], url: path, ...route })

  before(async () => {
    server = createHttpServer(rules, {} as ServerParts)
    get('/header', { handler: (_request, reply) => reply.header('x', 'a\nb').send('text') })
    get('/delayed', { handler: async () => 'text', onSend: async () => Promise.reject(new Error('not kept')) })
    get('/delayed-once', {
      handler: async () => 'text',
      onSend: async () => {
        if (failures.length === 0) throw new Error('not kept once')
      },
    })
    url = await server.listen({ port: 0, host: '127.0.0.1' })
  })
  after(() => server.close())

  for (const [path, what, status, body] of [
    ['/header', 'Invalid character in header content ["x"]', 500, ''],
    ['/delayed', 'not kept', 500, ''],
    ['/delayed-once', 'not kept once', 418, 'refused'],
  ] as const)
    test(`${path}: the error is passed on once, and the client gets ${status}`, async () => {
      failures.length = 0
      const response = await fetch(`${url}${path}`)
      assert.deepEqual([response.status, await response.text(), failures], [status, body, [what]])
    })
})
