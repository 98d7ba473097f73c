import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import {
  brotliCompressSync,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { request } from 'undici'
import { BodyDecodeError, BodyLimitError } from './errors.ts'
import { type ReadLimits, readLimited } from './read-limited.ts'

const MB = 1024 * 1024
const sample = Buffer.from(`${'some words that repeat, and a digit 7. '.repeat(5000)}end`)
const limits: ReadLimits = { maxBytes: 5 * MB }
const encoded: [string, Buffer][] = [
  ['', sample],
  ['identity', sample],
  ['gzip', gzipSync(sample)],
  ['X-GZip', gzipSync(sample)],
  ['deflate', deflateSync(sample)],
  ['deflate', deflateRawSync(sample)],
  ['br', brotliCompressSync(sample)],
  ['zstd', zstdCompressSync(sample)],
]

function refusal(reason: string) {
  return (error: unknown) =>
    (error instanceof BodyLimitError || error instanceof BodyDecodeError) && error.reason === reason
}

function pieces(bytes: Buffer, size: number): Readable {
  return Readable.from(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size)),
  )
}

async function bodyFrom(t: TestContext, reply: (response: ServerResponse) => void) {
  const server = createServer((_, response) => reply(response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  t.after(() => server.closeAllConnections())
  const { body } = await request(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  return body
}

async function bomb(compressor: NodeJS.ReadWriteStream, megabytes: number): Promise<Buffer> {
  const zeros = Buffer.alloc(MB)
  const source = Readable.from(
    (function* () {
      for (let n = 0; n < megabytes; n++) yield zeros
    })(),
  )
  const packed: Buffer[] = []
  for await (const chunk of source.pipe(compressor)) packed.push(chunk as Buffer)
  return Buffer.concat(packed)
}

test('every encoding is decoded, at once and byte by byte', async () => {
  for (const [contentEncoding, bytes] of encoded) {
    for (const size of [bytes.length, 1000, 1]) {
      if (size === 1 && bytes.length > 20_000) continue
      assert.ok(
        (await readLimited(pieces(bytes, size), { ...limits, contentEncoding })).equals(sample),
        `${contentEncoding} ${size}`,
      )
    }
  }
})

test('the limit is exact for encoded and decoded bytes', async () => {
  for (const [contentEncoding, bytes] of encoded) {
    const read = (maxBytes: number) => readLimited(pieces(bytes, 1000), { maxBytes, contentEncoding })
    assert.equal((await read(sample.length)).length, sample.length)
    await assert.rejects(read(sample.length - 1), refusal('body_too_large'), contentEncoding)
  }
})

test('an empty body is empty in every encoding', async () => {
  for (const [contentEncoding] of encoded) {
    assert.equal((await readLimited(Readable.from([]), { ...limits, contentEncoding })).length, 0, contentEncoding)
  }
})

test('S47 decompression bombs stop at the limit with bounded memory', async (t) => {
  const bombs: [string, Buffer][] = [
    ['gzip', await bomb(createGzip(), 300)],
    ['br', await bomb(createBrotliCompress({ params: {} }), 100)],
    ['zstd', await bomb(createZstdCompress(), 300)],
  ]
  for (const [contentEncoding, packed] of bombs) {
    t.diagnostic(`${contentEncoding}: ${packed.length} bytes on the wire`)
    assert.ok(packed.length < 400_000)
    const before = process.memoryUsage().rss
    const body = pieces(packed, 16 * 1024)
    await assert.rejects(readLimited(body, { ...limits, contentEncoding }), refusal('body_too_large'), contentEncoding)
    assert.ok(process.memoryUsage().rss - before < 64 * MB, contentEncoding)
    assert.equal(body.destroyed, true)
  }
})

test('S47 an endless body and endless empty gzip members stop at the limit', async () => {
  const endless = (chunk: Buffer) =>
    Readable.from(
      (function* () {
        for (;;) yield chunk
      })(),
    )
  await assert.rejects(readLimited(endless(Buffer.alloc(10_000)), limits), refusal('body_too_large'))
  const members = Buffer.concat(Array.from({ length: 500 }, () => gzipSync('')))
  await assert.rejects(
    readLimited(endless(members), { maxBytes: MB, contentEncoding: 'gzip' }),
    refusal('body_too_large'),
  )
})

test('S47 more bytes on the wire than the limit are refused, even if they decode to nothing', async () => {
  const members = Buffer.concat(Array.from({ length: 100 }, () => gzipSync('')))
  const read = (maxBytes: number) => readLimited(pieces(members, 100), { maxBytes, contentEncoding: 'gzip' })
  assert.equal((await read(members.length)).length, 0)
  for (const share of [1, 2, 3]) {
    const maxBytes = Math.ceil(members.length / share) - 1
    await assert.rejects(read(maxBytes), refusal('body_too_large'), `${members.length} of ${maxBytes} bytes`)
  }
})

test('S47 a zstd frame that claims a huge window is refused', async () => {
  const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (27 - 10) << 3, 0x01, 0x00, 0x00])
  await assert.rejects(
    readLimited(Readable.from([frame]), { ...limits, contentEncoding: 'zstd' }),
    refusal('body_corrupt'),
  )
})

test('S47 stacked and unknown encodings are refused and the body is destroyed', async () => {
  const cases: [string | string[], string][] = [
    ['gzip, gzip', 'encoding_stacked'],
    [['gzip', 'br'], 'encoding_stacked'],
    [Array.from({ length: 1000 }, () => 'gzip').join(','), 'encoding_stacked'],
    ['compress', 'encoding_unknown'],
    ['gzip;q=1', 'encoding_unknown'],
  ]
  for (const [contentEncoding, reason] of cases) {
    const body = Readable.from([sample])
    await assert.rejects(
      readLimited(body, { ...limits, contentEncoding }),
      refusal(reason),
      String(contentEncoding).slice(0, 20),
    )
    assert.equal(body.destroyed, true)
  }
  assert.ok(await readLimited(Readable.from([gzipSync(sample)]), { ...limits, contentEncoding: 'identity, gzip,' }))
})

test('an unknown encoding of a real connection is refused, and no error is unhandled', async (t) => {
  const odd = [
    'gzip, gzip',
    'foo',
    'UTF-8',
    'aws-chunked',
    'none',
    '*',
    '__proto__',
    'gzip;q=1',
    ', ,foo',
    'x'.repeat(8000),
  ]
  for (const contentEncoding of odd) {
    for (const whole of [true, false]) {
      const body = await bodyFrom(t, (response) => {
        response.writeHead(200, { 'content-encoding': contentEncoding })
        if (whole) response.end('[]')
        else response.write('[')
      })
      await assert.rejects(
        readLimited(body, { ...limits, contentEncoding }),
        (error) => error instanceof BodyDecodeError && error.reason.startsWith('encoding_'),
        contentEncoding.slice(0, 20),
      )
      assert.equal(body.destroyed, true)
      // An unhandled error would be thrown now and fail this test.
      if (!body.closed) await new Promise((resolve) => body.once('close', resolve))
    }
  }
})

test('truncated and corrupt compression are different errors', async () => {
  for (const [contentEncoding, bytes] of encoded.slice(2)) {
    const cut = bytes.subarray(0, bytes.length - 3)
    await assert.rejects(
      readLimited(Readable.from([cut]), { ...limits, contentEncoding }),
      refusal('body_truncated'),
      contentEncoding,
    )
    const junk = Buffer.from('<html>this is not compressed at all</html>')
    await assert.rejects(
      readLimited(Readable.from([junk]), { ...limits, contentEncoding }),
      refusal('body_corrupt'),
      contentEncoding,
    )
  }
})

test('a real connection that sends nothing ends at the idle limit', async (t) => {
  for (const contentEncoding of ['', 'gzip', 'deflate']) {
    const body = await bodyFrom(t, (response) =>
      response.write(contentEncoding === 'gzip' ? gzipSync('x').subarray(0, 12) : 'x'),
    )
    await assert.rejects(
      readLimited(body, { ...limits, contentEncoding, idleMs: 50 }),
      refusal('body_idle'),
      contentEncoding,
    )
    assert.equal(body.destroyed, true)
  }
})

test('a real connection that sends slowly ends at the total limit', async (t) => {
  const body = await bodyFrom(t, (response) => {
    // Slowness is the input of this test, and never ends by itself.
    const timer = setInterval(() => response.write('.'), 5)
    response.on('close', () => clearInterval(timer))
  })
  await assert.rejects(readLimited(body, { ...limits, idleMs: 5000, totalMs: 100 }), refusal('body_too_slow'))
  assert.equal(body.destroyed, true)
})

test('an interrupted connection is body_interrupted', async (t) => {
  const body = await bodyFrom(t, (response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('half', () => response.destroy())
  })
  await assert.rejects(readLimited(body, limits), refusal('body_interrupted'))
})

test('the caller can abort', async (t) => {
  const body = await bodyFrom(t, (response) => response.write('x'))
  const stop = new AbortController()
  const reading = readLimited(body, { ...limits, signal: stop.signal })
  stop.abort(new Error('shutting down'))
  await assert.rejects(reading, /shutting down/)
  assert.equal(body.destroyed, true)
})

test('a web stream is read too', async () => {
  const response = new Response(sample)
  assert.ok((await readLimited(response.body!, limits)).equals(sample))
})
