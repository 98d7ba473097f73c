import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'

/** The response of a hostile service to one request: raw bytes, in chunks, and how the connection ends. */
export interface HostileResponse {
  pieces: Buffer[]
  /** Our timeout ends half a response that never continues; here the service closes the connection. */
  end: 'close' | 'reset' | 'linger'
}

/** A body that is incomplete when its headers are checked. */
const LINGER_MS = 200
const NUMBERS = ['0', '-1', '1e309', '99999999999999999999', 'NaN', '', '2147483648', 'Fri, 31 Dec 9999 23:59:59 GMT']
const CODINGS = ['gzip', 'gzip, gzip', 'br', 'foo', 'UTF-8', 'aws-chunked', 'none', 'deflate', 'zstd', 'identity, gzip']

const bodyText = fc.oneof(
  fc.json({ maxDepth: 8 }),
  fc
    .record({ orders: fc.array(fc.anything({ maxDepth: 4, withNullPrototype: true })) })
    .map((body) => JSON.stringify(body)),
  fc.constantFrom(
    '{"orders":[',
    '{"orders":{}}',
    `{"orders":${'['.repeat(5000)}${']'.repeat(5000)}}`,
    `{"orders":[${'{"id":1,"at":1e400,"text":"x"},'.repeat(2000)}{"id":2}]}`,
    `{"orders":[{"id":"a","at":1,"text":"${'́'.repeat(50_000)}"}]}`,
    `{"orders":[{"id":"a","at":1,"text":"https://${'!'.repeat(50_000)}x"}]}`,
    '{"__proto__":{"polluted":true},"orders":[{"__proto__":{"polluted":true},"id":"a"}]}',
    '\u0000\u0001\ufeff',
  ),
)

const header = (name: string, values: string[]) => fc.tuple(fc.constant(name), fc.constantFrom(...values))
/** Few at a time: one that makes the whole response unreadable would hide the effect of the others. */
const headers = fc.array(
  fc.oneof(
    header('content-encoding', CODINGS),
    header('retry-after', NUMBERS),
    header('ratelimit-remaining', NUMBERS),
    header('ratelimit-reset', NUMBERS),
    header('content-length', NUMBERS),
    header('transfer-encoding', ['chunked', 'gzip, chunked', 'chunked, chunked', 'x']),
    header('link', ['<https://evil.test/>; rel="next"', '<>; rel=next', '<'.repeat(3000)]),
    header('location', ['/orders', 'http://169.254.169.254/', '//', 'http://[::1']),
    header('etag', ['"', 'W/', 'x'.repeat(8000)]),
  ),
  { maxLength: 2 },
)

/** Any response: valid, invalid, truncated, or not HTTP at all. */
export const hostileResponse: fc.Arbitrary<HostileResponse> = fc
  .record({
    status: fc.constantFrom(200, 200, 200, 200, 204, 206, 301, 304, 400, 401, 403, 404, 429, 500, 503, 999, 0),
    headers,
    body: bodyText,
    compress: fc.boolean(),
    noHttp: fc.oneof(
      { weight: 9, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 400 }) },
    ),
    keep: fc.double({ min: 0, max: 1, noNaN: true }),
    cuts: fc.array(fc.nat(2000), { maxLength: 4 }),
    end: fc.constantFrom('close', 'reset', 'linger' as const),
  })
  .map(({ status, headers: given, body, compress, noHttp, keep, cuts, end }) => {
    const bytes = compress ? gzipSync(body) : Buffer.from(body)
    const lines = given.map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\n${lines.join('')}connection: close\r\n\r\n`
    const whole = noHttp === undefined ? Buffer.concat([Buffer.from(head), bytes]) : Buffer.from(noHttp)
    // Most are complete, some are truncated.
    const sent = keep > 0.3 ? whole : whole.subarray(0, Math.ceil((whole.length * keep) / 0.3))
    return { pieces: cutInto(sent, cuts), end }
  })

function cutInto(bytes: Buffer, cuts: number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b)
  return places.slice(1).map((place, i) => bytes.subarray(places[i], place))
}

export interface HostileService {
  url: string
  /** How many hostile responses were sent to this person. */
  sentTo: (person: string) => number
  close: () => Promise<void>
}

/** Signs people in correctly, and sends the given responses to all other requests. */
export async function startHostileService(responses: Map<string, HostileResponse>): Promise<HostileService> {
  const sent = new Map<string, number>()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    let text = ''
    socket.on('data', (piece: Buffer) => {
      text += piece.toString('latin1')
      if (!text.includes('\r\n\r\n')) return
      const person = /authorization: Bearer token-(\S+)/i.exec(text)?.[1] ?? ''
      const isSelf = text.startsWith('GET /me')
      text = ''
      if (isSelf) {
        const body = JSON.stringify({ id: person, name: person })
        socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
        return
      }
      const { pieces, end } = responses.get(person) ?? { pieces: [], end: 'close' }
      for (const each of pieces) socket.write(each)
      sent.set(person, (sent.get(person) ?? 0) + 1)
      if (end === 'linger') setTimeout(() => socket.end(), LINGER_MS)
      else if (end === 'close') socket.end()
      else setImmediate(() => socket.resetAndDestroy())
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sentTo: (person) => sent.get(person) ?? 0,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
