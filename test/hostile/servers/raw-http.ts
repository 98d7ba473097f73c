import type { Socket } from 'node:net'
import fc from 'fast-check'
import { type BucketPolicy, finish, flood, type HostileServer, listenHostile, say } from './listen.ts'

export interface RawRequest {
  method: string
  path: string
}

/** One raw response: bytes, and what is written endlessly after them. */
export interface RawResponse extends BucketPolicy {
  bytes: string
  endless: string
}

/** Reads just enough of a request to find the next one, and writes bytes. */
export function startRawHttp(respond: (request: RawRequest) => RawResponse | undefined): Promise<HostileServer> {
  return listenHostile((socket) => {
    let pending = Buffer.alloc(0)
    let wrote: Promise<unknown> = Promise.resolve()
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk])
      for (;;) {
        const end = pending.indexOf('\r\n\r\n')
        if (end < 0) return
        const head = pending.subarray(0, end).toString('latin1')
        const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
        if (pending.length < end + 4 + length) return
        pending = pending.subarray(end + 4 + length)
        const [method = '', path = ''] = head.split(' ')
        const response = respond({ method, path })
        if (response !== undefined) wrote = wrote.then(() => write(socket, response))
      }
    })
  })
}

async function write(socket: Socket, response: RawResponse): Promise<void> {
  await say(socket, response.bytes, response.chunk)
  if (response.endless !== '') flood(socket, Buffer.from(response.endless, 'latin1'))
  finish(socket, response)
}

export function plainResponse(status: number, body: string, headers = ''): RawResponse {
  const bytes = `HTTP/1.1 ${status} X\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${Buffer.from(body).toString('latin1')}`
  return { bytes, endless: '', chunk: 0, ends: 'stays' }
}

const noise = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('latin1'))

const header = fc.oneof(
  fc.constantFrom(
    'content-encoding: gzip, gzip',
    'content-encoding: foo',
    'transfer-encoding: chunked',
    'transfer-encoding: gzip',
    'content-length: 5',
    'content-length: 99999999999999999999',
    'content-length: -1',
    'location: http://127.0.0.1:1/',
    'location: //',
    'retry-after: 99999999999999999999999999',
    'retry-after: -1',
    'retry-after: Fri, 31 Dec 99999 23:59:59 GMT',
    'connection: close',
    'upgrade: websocket',
    `x-long: ${'x'.repeat(40_000)}`,
  ),
  fc.string({ unit: 'binary-ascii', maxLength: 40 }),
)

const status = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(200, 204, 301, 304, 307, 400, 404, 410, 413, 429, 500, 503) },
  { weight: 1, arbitrary: fc.integer({ min: -5, max: 1200 }) },
)
const interim = fc.constantFrom(
  '',
  '',
  '',
  'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(300),
  'HTTP/1.1 100 Continue\r\n\r\n'.repeat(50),
)

/** Raw responses around any kind of body. */
export function rawResponses(body: fc.Arbitrary<string>): fc.Arbitrary<RawResponse> {
  const shaped = fc
    .record({ interim, status, headers: fc.array(header, { maxLength: 4 }), body, sized: fc.boolean() })
    .map(({ interim: before, status: code, headers, body: text, sized }) => {
      const bytes = Buffer.from(text).toString('latin1')
      const lines = [...headers, ...(sized ? [`content-length: ${bytes.length}`] : [])].map((each) => `${each}\r\n`)
      return `${before}HTTP/1.1 ${code} X\r\n${lines.join('')}\r\n${bytes}`
    })
  return fc.record({
    bytes: fc.oneof({ weight: 8, arbitrary: shaped }, { weight: 1, arbitrary: noise }),
    endless: fc.oneof(
      { weight: 12, arbitrary: fc.constant('') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'x'.repeat(65_536),
          '5\r\nhello\r\n',
          'HTTP/1.1 103 Early Hints\r\n\r\n',
          'a: b\r\n',
        ),
      },
    ),
    chunk: fc.constantFrom(0, 0, 1, 100),
    ends: fc.constantFrom('stays', 'stays', 'closes', 'resets'),
  })
}
