import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { after, before, beforeEach, suite, test } from 'node:test'
import { closed } from '../../harness/closed.ts'
import { oneTurn, staysUnchanged } from '../../harness/stays-unchanged.ts'
import { rawClient } from '../operating/raw-http.ts'
import { type ProxyHarness, startProxyHarness } from './fixture.ts'
import { OK, type RawUpstream, startRawUpstream } from './raw-upstream.ts'
import { type SlowUpstream, startSlowUpstream } from './slow-upstream.ts'

let upstream: RawUpstream
let slow: SlowUpstream
let harness: ProxyHarness
let token: string
let slowToken: string
before(async () => {
  upstream = await startRawUpstream()
  slow = await startSlowUpstream()
  harness = await startProxyHarness()
  token = (await harness.connect({ apiUrl: upstream.url })).token
  slowToken = (await harness.connect({ service: 'keyed', apiUrl: slow.url })).token
})
after(async () => {
  await harness.stop()
  await upstream.close()
  await slow.close()
})
beforeEach(() => {
  upstream.requests.length = 0
  upstream.response = OK
})

const MEGABYTE = 1024 * 1024
const head = (by: string, service: string, ...more: string[]) =>
  [`POST /proxy/${service}/up HTTP/1.1`, 'Host: x', `Authorization: Bearer ${by}`, ...more, '', ''].join('\r\n')

suite('the app disconnects', () => {
  test('during a response: the call to the service ends', async () => {
    const ended = new Promise<void>((resolve) => {
      upstream.response = (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nmore\r\n')
        socket.on('close', () => resolve())
      }
    })
    const client = await rawClient(harness.url)
    client.send(`GET /proxy/plain/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
    await once(client.socket, 'data')
    client.socket.destroy()
    await ended
  })

  test('before the response: the call to the service ends', async () => {
    const called = Promise.withResolvers<Socket>()
    upstream.response = (socket) => called.resolve(socket)
    const client = await rawClient(harness.url)
    client.send(`GET /proxy/plain/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
    const socket = await called.promise
    const ended = closed(socket)
    client.socket.destroy()
    await ended
    assert.equal(upstream.requests.length, 1, 'no retry')
    assert.ok(!harness.logged.some((line) => line.includes('a request failed')))
  })

  test('during an upload: the service never receives a whole request', async () => {
    const client = await rawClient(harness.url)
    client.send(head(slowToken, 'keyed', `Content-Length: ${MEGABYTE}`))
    client.socket.write(Buffer.alloc(MEGABYTE / 2))
    const socket = await slow.connected()
    const ended = closed(socket)
    slow.read(socket)
    client.socket.destroy()
    await ended
    assert.ok(slow.bytes(socket) < MEGABYTE)
  })
})

suite('the service disconnects', () => {
  test('during an upload: a 502', async () => {
    const client = await rawClient(harness.url)
    client.send(head(slowToken, 'keyed', `Content-Length: ${MEGABYTE}`, 'Connection: close'))
    client.socket.write(Buffer.alloc(MEGABYTE / 2))
    const socket = await slow.connected()
    socket.destroy()
    assert.match(await client.ended, /^HTTP\/1\.1 502 /)
  })

  test('after a response that did not wait for the upload: the app gets it', async () => {
    const responded = Promise.withResolvers<string>()
    const call = request(`${harness.url}/proxy/keyed/up`, {
      method: 'POST',
      headers: { authorization: `Bearer ${slowToken}`, 'content-length': 50 * MEGABYTE },
    })
    call.on('error', responded.reject)
    call.on('response', (response) => {
      response.resume()
      responded.resolve([response.statusCode, response.headers['x-why']].join(' '))
    })
    call.write(Buffer.alloc(MEGABYTE))
    const socket = await slow.connected()
    socket.end('HTTP/1.1 413 Too Large\r\nX-Why: size\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    assert.equal(await responded.promise, '413 size')
    call.destroy()
  })
})

suite('backpressure', () => {
  // What kernels and streams buffer between two sockets; far less than what is offered.
  const MAX_BUFFERED = 24 * MEGABYTE

  test('a slow app slows down the service', async () => {
    let written = 0
    upstream.response = (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${200 * MEGABYTE}\r\n\r\n`)
      const piece = Buffer.alloc(64 * 1024)
      const more = () => {
        do written += piece.length
        while (written < 200 * MEGABYTE && socket.write(piece))
      }
      socket.on('drain', more)
      more()
    }
    const client = await rawClient(harness.url)
    client.socket.pause()
    client.send(`GET /proxy/plain/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
    await settled(() => written)
    assert.ok(written > 0 && written < MAX_BUFFERED, `${written} bytes were sent to an app that reads nothing`)
    client.socket.destroy()
  })

  test('a slow service slows down the app', async () => {
    const client = await rawClient(harness.url)
    client.send(head(slowToken, 'keyed', `Content-Length: ${200 * MEGABYTE}`))
    const piece = Buffer.alloc(64 * 1024)
    let written = 0
    const more = () => {
      do written += piece.length
      while (written < 200 * MEGABYTE && client.socket.write(piece))
    }
    client.socket.on('drain', more)
    more()
    const socket = await slow.connected()
    await settled(() => written)
    assert.ok(written < MAX_BUFFERED, `${written} bytes were accepted for a service that reads nothing`)
    client.socket.destroy()
    slow.read(socket)
    await closed(socket)
  })

  const settled = (read: () => number) => staysUnchanged(read, () => oneTurn(harness.url))
})

suite('time limits', () => {
  test('an upload may take longer than a request of ours; a small body may not', async () => {
    const { requestTimeout, headersTimeout } = harness.server.server
    Object.assign(harness.server.server, { headersTimeout: 500, requestTimeout: 600 })
    try {
      const large = await rawClient(harness.url)
      large.send(head(token, 'plain', `Content-Length: ${MEGABYTE}`, 'Connection: close'))
      const half = Buffer.alloc(MEGABYTE / 2)
      large.socket.write(half)
      const small = await rawClient(harness.url)
      small.send(head(token, 'plain', 'Content-Length: 1000'))
      // The upload began earlier: when the limit has ended this request, the upload has exceeded it too.
      assert.match(await small.ended, /^HTTP\/1\.1 408 /)
      large.socket.write(half)
      assert.match(await large.ended, /^HTTP\/1\.1 200 /)
    } finally {
      Object.assign(harness.server.server, { headersTimeout, requestTimeout })
    }
  })

  test('an app that stalls during an upload is disconnected, and so is the service', async () => {
    const strict = await startProxyHarness({ timeouts: { headersMs: 60_000, idleMs: 500 } })
    const { token: by } = await strict.connect({ service: 'keyed', apiUrl: slow.url })
    const client = await rawClient(strict.url)
    client.send(head(by, 'keyed', `Content-Length: ${MEGABYTE}`))
    client.socket.write(Buffer.alloc(MEGABYTE / 2))
    const socket = await slow.connected()
    slow.read(socket)
    await closed(socket)
    await client.ended
    await strict.stop()
  })
})
