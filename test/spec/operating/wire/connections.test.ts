// Clients that leave, requests on a server that closes, and addresses behind proxies.

import assert from 'node:assert/strict'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { startTributary, type Tributary } from '../../../harness/start.ts'
import { until } from '../../../harness/until.ts'
import { rawClient } from '../raw-http.ts'
import { openWire, type Wire } from './fixture.ts'
import { readable, transcriptOf } from './transcript.ts'

type Config = Parameters<typeof openWire>[1]

const POST = 'POST /post HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n'

let tributary: Tributary
before(async () => {
  tributary = await startTributary()
})
after(() => tributary.stop())

/** Runs with a server of its own. */
function served(name: string, run: (wire: Wire) => Promise<void>, ...options: [Config?, string?]): void {
  test(name, async () => {
    const wire = await openWire(tributary, ...options)
    try {
      await run(wire)
    } finally {
      await wire.close()
    }
  })
}

/** Sends bytes, leaves when something happened, and returns what was logged when the server had noticed it. */
async function loggedAfterLeaving(wire: Wire, bytes: string, called: boolean) {
  const accepted = once(wire.server.server, 'connection') as Promise<[Socket]>
  const client = await rawClient(wire.url)
  const [socket] = await accepted
  const begun = called ? wire.called() : once(wire.server.server, 'request')
  client.send(bytes)
  await begun
  const left = new Promise((resolve) => socket.once('close', resolve))
  client.socket.resetAndDestroy()
  await left
  await transcriptOf(wire, 'GET /return/null HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  await until('the request is logged', () => wire.logged().some(({ path }) => path === '/return/null'))
  return wire.logged().filter(({ path }) => path !== '/return/null')
}

suite('a client that leaves', () => {
  const failed = {
    message: 'a request failed',
    method: undefined,
    path: undefined,
    status: undefined,
    reason: 'database_unavailable',
    error: 'aborted',
  }
  served('before its body: the request is logged as one that failed', async (wire) => {
    const logged = await loggedAfterLeaving(wire, POST, false)
    assert.deepEqual(logged[0], failed)
  })

  served('during its body: as before it', async (wire) => {
    const logged = await loggedAfterLeaving(wire, `${POST}{"a":`, false)
    assert.deepEqual(logged[0], failed)
  })

  served('after its request: nothing failed', async (wire) => {
    const logged = await loggedAfterLeaving(wire, 'GET /wait-for-hangup HTTP/1.1\r\nHost: x\r\n\r\n', true)
    assert.deepEqual(
      logged.filter(({ message }) => message === 'a request failed'),
      [],
    )
  })

  served('during a stream: it ends, and nothing failed', async (wire) => {
    const logged = await loggedAfterLeaving(wire, 'GET /stream-until-hangup HTTP/1.1\r\nHost: x\r\n\r\n', true)
    assert.deepEqual(logged, [])
  })
})

/** Returns when no new connection is accepted. */
async function beginToClose({ server }: Wire): Promise<{ ended: Promise<unknown> }> {
  const ended = server.close()
  await until('it does not listen', () => !server.server.listening)
  return { ended }
}

suite('a server that closes', () => {
  served('answers a request in progress, and the one that was sent behind it', async (wire) => {
    const client = await rawClient(wire.url)
    client.send(
      'GET /wait HTTP/1.1\r\nHost: x\r\n\r\nGET /return/text HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    )
    await wire.called()
    const closed = await beginToClose(wire)
    wire.release('reply')
    assert.equal(
      readable(await client.ended),
      '200 OK · (usual) · (any origin) · content-type: text/plain; charset=utf-8 · content-length: 6 · Date · Connection: keep-alive · Keep-Alive: timeout=65\nwaited\n200 OK · (usual) · (any origin) · content-type: text/plain; charset=utf-8 · content-length: 5 · Date · Connection: close\nplain',
    )
    await closed.ended
  })

  served('answers a request that arrives on a busy connection, and ends it', async (wire) => {
    const client = await rawClient(wire.url)
    client.send('GET /wait HTTP/1.1\r\nHost: x\r\n\r\n')
    await wire.called()
    const closed = await beginToClose(wire)
    const arrived = once(wire.server.server, 'request')
    client.send('GET /return/text HTTP/1.1\r\nHost: x\r\n\r\n')
    await arrived
    wire.release(1)
    assert.equal(
      readable(await client.ended),
      '200 OK · (usual) · (any origin) · (JSON) · content-length: 1 · Date · Connection: keep-alive · Keep-Alive: timeout=65\n1\n200 OK · Connection: close · (usual) · (any origin) · content-type: text/plain; charset=utf-8 · content-length: 5 · Date\nplain',
    )
    await closed.ended
  })

  served('can be closed twice', async (wire) => {
    await Promise.all([wire.server.close(), wire.server.close()])
    await wire.server.close()
  })
})

suite('an upload', () => {
  served('may take longer than other requests', async ({ server, url, called }) => {
    server.server.requestTimeout = 200
    const client = await rawClient(url)
    client.send('POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\nConnection: close\r\n\r\nabc')
    await called()
    const [error] = (await once(server.server, 'clientError')) as [{ code: string }]
    assert.equal(error.code, 'ERR_HTTP_REQUEST_TIMEOUT')
    client.send('def')
    assert.equal(
      readable(await client.ended),
      '200 OK · (usual) · (JSON) · content-length: 11 · Date · Connection: close\n{"bytes":6}',
    )
  })
})

suite('the address of a caller', () => {
  const asked = (forwarded: string) =>
    `GET /echo/a HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${forwarded}\r\nConnection: close\r\n\r\n`
  const ipIn = (transcript: string) => (JSON.parse(transcript.split('\n')[1]!) as { ip: string }).ip

  served('is that of the connection where no proxy is trusted', async (wire) => {
    assert.equal(ipIn(await transcriptOf(wire, asked('192.0.2.1'))), '127.0.0.1')
  })

  served(
    'is the last one that no trusted proxy has, where some are trusted',
    async (wire) => {
      for (const [forwarded, ip] of [
        ['192.0.2.1', '192.0.2.1'],
        ['192.0.2.1, 192.0.2.2', '192.0.2.2'],
        ['192.0.2.1, 10.1.2.3', '192.0.2.1'],
        ['10.1.2.3', '10.1.2.3'],
        ['anything, 10.1.2.3', 'anything'],
        ['', '127.0.0.1'],
      ] as const)
        assert.equal(ipIn(await transcriptOf(wire, asked(forwarded))), ip, forwarded)
    },
    { trustProxy: ['127.0.0.1', '10.0.0.0/8'] },
  )
})

suite('the name localhost', () => {
  served(
    'means all of its addresses',
    async ({ url }) => {
      const addresses = await lookup('localhost', { all: true })
      assert.ok(addresses.length > 0)
      for (const { address, family } of addresses) {
        const host = family === 6 ? `[${address}]` : address
        assert.equal((await fetch(`http://${host}:${new URL(url).port}/return/text`)).status, 200, host)
      }
    },
    {},
    'localhost',
  )
})
