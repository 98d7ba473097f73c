import type { Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import fc from 'fast-check'
import { type BucketPolicy, finish, flood, type HostileServer, listenHostile, say } from './listen.ts'

/** How a NATS server behaves; `{inbox}` and `{sid}` in a reply refer to the request. */
export interface NatsCase extends BucketPolicy {
  greeting: string
  /** Written after CONNECT. */
  welcome: string
  /** Used one after the other, then again from the first. */
  replies: string[]
}

export const goodInfo = 'INFO {"server_id":"N","version":"2.10.0","proto":1,"headers":true,"max_payload":1048576}\r\n'

export function startHostileNats(kase: NatsCase): Promise<HostileServer> {
  return listenHostile((socket) => {
    let asked = 0
    let sid = '1'
    let head = ''
    let wrote = say(socket, kase.greeting, kase.chunk)
    const next = (text: string) => {
      wrote = wrote.then(() => say(socket, text, kase.chunk))
    }
    socket.setEncoding('latin1').on('data', (text: string) => {
      const lines = (head + text).split('\r\n')
      head = lines.pop()!.slice(-4096)
      for (const line of lines) {
        const [verb = '', ...words] = line.split(' ')
        if (verb === 'CONNECT') next(kase.welcome)
        if (verb === 'SUB') sid = words.at(-1)!
        if (verb !== 'PUB' && verb !== 'HPUB') continue
        const inbox = words.find((word) => word.startsWith('_INBOX.'))
        if (inbox === undefined || kase.replies.length === 0) continue
        const reply = kase.replies[asked % kase.replies.length]!
        asked += 1
        next(reply.replaceAll('{inbox}', inbox).replaceAll('{sid}', sid))
        if (asked === kase.replies.length) void wrote.then(() => finish(socket, kase))
      }
    })
    if (kase.greeting === '') finish(socket, kase)
  })
}

/** Greets, then writes the same bytes endlessly. */
export function startFloodingNats(greeting: string, bytes: string): Promise<HostileServer> {
  return listenHostile((socket: Socket) => {
    socket.resume().write(greeting)
    flood(socket, Buffer.from(bytes, 'latin1'))
  })
}

/** Greets unencrypted, then starts TLS and writes endlessly inside; `before` follows the greeting unencrypted. */
export function startTlsNats(
  { cert, key }: { cert: string; key: string },
  before: string,
  bytes: string,
): Promise<HostileServer> {
  const secureContext = createSecureContext({ cert, key })
  return listenHostile((socket) => {
    socket.write(goodInfo.replace('}', ',"tls_required":true}') + before)
    const inner = new TLSSocket(socket, { isServer: true, secureContext })
    inner.on('error', () => {}).resume()
    inner.once('secure', () => flood(inner, Buffer.from(bytes, 'latin1')))
  })
}

export function natsReply(json: string): string {
  return `MSG {inbox} {sid} ${Buffer.byteLength(json)}\r\n${Buffer.from(json).toString('latin1')}\r\n`
}

const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(-1, 0, 1e9, 1e308, Number.MAX_SAFE_INTEGER))
const noise = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
)
const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(null, true, 'x'.repeat(70_000)))

const info = fc
  .record(
    {
      server_id: value,
      version: fc.oneof(fc.constant('2.10.0'), value),
      proto: number,
      headers: fc.oneof(fc.boolean(), value),
      max_payload: fc.oneof(fc.constant(1_048_576), number, value),
      tls_required: fc.boolean(),
      tls_available: fc.boolean(),
      nonce: value,
      connect_urls: fc.array(fc.string()),
      ldm: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  .map((fields) => `INFO ${JSON.stringify(fields)}\r\n`)

const greeting = fc.oneof(
  { weight: 6, arbitrary: fc.constant(goodInfo) },
  { weight: 4, arbitrary: info },
  { weight: 1, arbitrary: noise },
  { weight: 1, arbitrary: noise.map((text) => `INFO ${text}\r\n`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', 'INFO', 'INFO null\r\n', 'INFO []\r\n', `INFO ${'['.repeat(30_000)}\r\n`),
  },
  { weight: 1, arbitrary: fc.constant(`INFO ${'x'.repeat(200_000)}`) },
)

const line = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('PONG\r\n', '+OK\r\nPONG\r\n') },
  {
    weight: 1,
    arbitrary: fc.constantFrom("-ERR 'Authorization Violation'\r\n", '-ERR\r\n', '+OK', 'PING\r\n'.repeat(5000)),
  },
  { weight: 1, arbitrary: noise.map((text) => `-ERR ${text}\r\nPONG\r\n`) },
  { weight: 1, arbitrary: info.map((text) => `PONG\r\n${text}`) },
  { weight: 1, arbitrary: noise },
)

const checkpoint = fc
  .record({ seq: fc.oneof(number, value), epoch: fc.oneof(number, value), updatedAtMs: number }, { requiredKeys: [] })
  .map((fields) => Buffer.from(JSON.stringify(fields)).toString('base64'))

const json = fc.oneof(
  fc.constantFrom(
    '{"stream":"S","seq":1}',
    '{"stream":"","seq":1}',
    '{"streams":0,"memory":0,"limits":{}}',
    '{"error":{"code":404,"err_code":10059,"description":"stream not found"}}',
    '{"error":{"code":400,"err_code":10071,"description":"wrong last sequence"}}',
    '{"success":true}',
    'null',
    '[]',
  ),
  fc
    .record({ total: number, limit: number, config: value, state: value }, { requiredKeys: ['config'] })
    .map((fields) => JSON.stringify(fields)),
  fc
    .record({ seq: number, data: fc.oneof(checkpoint, fc.string()), hdrs: fc.string() })
    .map((message) => JSON.stringify({ message: { subject: 's', time: '2020-01-01T00:00:00Z', ...message } })),
  fc.record({ error: value }).map((fields) => JSON.stringify(fields)),
  value.map((each) => JSON.stringify(each)),
)

const headerLines = fc.oneof(
  fc.array(fc.string({ maxLength: 20 }), { maxLength: 20 }).map((lines) => lines.join('\r\n')),
  fc.constant(Array.from({ length: 5000 }, (_, i) => `h${i}:`).join('\r\n')),
  fc.constant('Nats-Msg-Id: 1'),
)

const reply = fc.oneof(
  { weight: 8, arbitrary: json.map(natsReply) },
  {
    weight: 1,
    arbitrary: fc.tuple(number, number, noise).map(([sid, size, text]) => `MSG {inbox} ${sid} ${size}\r\n${text}\r\n`),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('NATS/1.0', 'NATS/1.0 503', 'NATS/1.0 408 x', 'HTTP/1.1'), headerLines)
      .map(([top, rest]) => {
        const block = Buffer.from(`${top}\r\n${rest}\r\n\r\n`)
        return `HMSG {inbox} {sid} ${block.length} ${block.length}\r\n${block.toString('latin1')}\r\n`
      }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(number, number).map(([a, b]) => `HMSG {inbox} {sid} ${a} ${b}\r\nNATS/1.0\r\n\r\n\r\n`),
  },
  { weight: 1, arbitrary: fc.constantFrom('MSG\r\n', 'MSG a b c d e f\r\n', `MSG ${'a'.repeat(100_000)}`, 'PING\r\n') },
  { weight: 1, arbitrary: noise },
  { weight: 1, arbitrary: noise.map((text) => `-ERR 'Permissions Violation for Publish to "${text}"'\r\n`) },
)

export const natsCases: fc.Arbitrary<NatsCase> = fc.record({
  greeting,
  welcome: line,
  replies: fc.array(reply, { maxLength: 12 }),
  chunk: fc.constantFrom(0, 0, 1, 7, 1000),
  ends: fc.constantFrom('stays', 'stays', 'closes', 'resets'),
})
