import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpDeps } from '#http/server/deps.ts'
import { createServer } from '#http/server.ts'
import { createTokenUses } from '#identity/token-uses.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'
import { rawClient } from './raw-http.ts'

let tributary: Tributary
let server: ReturnType<typeof createServer>
let url: string
const limits = { headersTimeout: 0, requestTimeout: 0 }

// The real server with shorter limits, so that no test waits a minute.
before(async () => {
  tributary = await startTributary()
  const harness = {
    ...tributary.store,
    tokenUses: createTokenUses(tributary.store),
    config: { baseUrl: '', trustProxy: [], drainMs: 0 },
    adminToken: tributary.adminToken,
    isDraining: () => false,
    version: 'x',
  }
  server = createServer(harness as unknown as HttpDeps)
  limits.headersTimeout = server.server.headersTimeout
  limits.requestTimeout = server.server.requestTimeout
  server.server.headersTimeout = 500
  server.server.requestTimeout = 1000
  url = await server.listen({ port: 0, host: '127.0.0.1' })
})
after(async () => {
  await server.close()
  await tributary.stop()
})

const alive = async () => assert.equal((await fetch(`${url}/healthz`)).status, 200)

suite('S43 slow clients', () => {
  test('have limits that free every socket within a minute', () => {
    assert.ok(limits.headersTimeout > 0 && limits.headersTimeout <= 15_000)
    assert.ok(limits.requestTimeout > 0 && limits.requestTimeout <= 60_000)
  })

  test('that send their headers byte by byte are disconnected, and others are served meanwhile', async () => {
    const client = await rawClient(url)
    let over = false
    const ended = client.ended.finally(() => {
      over = true
    })
    for (const byte of `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ${'x'.repeat(1000)}`) {
      if (over) break
      client.send(byte)
      // Slowness is the input of this test; the server ends the loop, however long that takes.
      await sleep(50)
      if (byte === '\n') await alive()
    }
    assert.match(await ended, /^HTTP\/1\.1 408 /)
  })

  test('that send nothing are disconnected', async () => {
    const silent = await Promise.all(Array.from({ length: 200 }, () => rawClient(url)))
    await alive()
    for (const client of silent) await client.ended
  })

  test('that never finish their body are disconnected, and others are served meanwhile', async () => {
    const client = await rawClient(url)
    client.send(
      `POST /admin/apps HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tributary.adminToken}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"name":`,
    )
    await alive()
    assert.match(await client.ended, /^HTTP\/1\.1 408 /)
    await alive()
  })

  test('that announce too large a body are refused before they send it', async () => {
    const client = await rawClient(url)
    client.send(
      `POST /admin/apps HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tributary.adminToken}\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n{`,
    )
    assert.match(await client.ended, /^HTTP\/1\.1 413 /)
  })

  test('without the token are refused before they send their body', async () => {
    const client = await rawClient(url)
    client.send(
      'POST /admin/apps HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n',
    )
    assert.match(await client.ended, /^HTTP\/1\.1 401 /)
  })
})
