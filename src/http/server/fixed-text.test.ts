import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { ServerParts } from '../exchange/request.ts'
import { createHttpServer, type Rules } from '../exchange/serve.ts'
import { createFixedTexts, sendFixed } from './fixed-text.ts'

const TEXT = 'A text that repeats itself, é. '.repeat(100)
let nowMs = 0
let made = 0
const fixedTexts = createFixedTexts({ now: () => nowMs })
const rules: Rules = {
  bodies: { maxBytes: 0, parsers: new Map() },
  idOf: () => 'id',
  locate: ({ url = '' }) => ({ url, origin: undefined }),
  onRequest: () => {},
  onSend: () => {},
  onResponse: () => {},
  onError: (error) => assert.fail(error as Error),
  onUnreadable: (error) => assert.fail(error),
}
const server = createHttpServer(rules, { fixedTexts } as ServerParts)
server.route({
  methods: ['GET'],
  url: '/text',
  handler: (request, reply) =>
    sendFixed(request, reply.header('vary', 'accept'), 'text/plain; charset=utf-8', () => {
      made += 1
      return TEXT
    }),
})
let url: string
before(async () => {
  url = await server.listen({ port: 0, host: '127.0.0.1' })
})
after(() => server.close())

interface Received {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
}

/** Not `fetch`, which decodes. */
async function get(headers: Record<string, string> = {}): Promise<Received> {
  const [response] = (await once(request(`${url}/text`, { headers }).end(), 'response')) as [IncomingMessage]
  const bytes = Buffer.concat(await response.toArray())
  return { status: response.statusCode!, headers: response.headers, bytes }
}

suite('a fixed text', () => {
  const plain = (bytes: Buffer) => bytes
  for (const [accepts, encoding, decode] of [
    [undefined, undefined, plain],
    ['', undefined, plain],
    ['identity', undefined, plain],
    ['zstd, unknown;q=1', undefined, plain],
    ['gzip;q=0', undefined, plain],
    ['gzip; q=0.000, br;Q=0', undefined, plain],
    ['*;q=0', undefined, plain],
    ['gzip', 'gzip', gunzipSync],
    ['GZIP;q=0.5, deflate', 'gzip', gunzipSync],
    ['br;q=0, *', 'gzip', gunzipSync],
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['*', 'br', brotliDecompressSync],
  ] as const)
    test(`is sent as ${encoding ?? 'it is'} to “${accepts}”, with an ETag for 304`, async () => {
      const accepting = accepts === undefined ? {} : { 'accept-encoding': accepts }
      const { headers, bytes, status } = await get(accepting)
      assert.equal(status, 200)
      assert.equal(headers['content-encoding'], encoding)
      assert.equal(headers['content-type'], 'text/plain; charset=utf-8')
      assert.equal(headers['content-length'], String(bytes.length))
      assert.equal(headers.vary, 'accept, accept-encoding')
      assert.equal(decode(bytes).toString(), TEXT)
      for (const known of [headers.etag!, `W/${headers.etag}`, `"x", ${headers.etag}`, '*']) {
        const again = await get({ ...accepting, 'if-none-match': known })
        assert.deepEqual([again.status, String(again.bytes), again.headers.etag], [304, '', headers.etag])
        assert.equal(again.headers.vary, 'accept, accept-encoding')
      }
      assert.equal((await get({ ...accepting, 'if-none-match': '"x"' })).status, 200)
      assert.equal(made, 1)
    })

  test('has another ETag in each form', async () => {
    const tags = await Promise.all(
      ['', 'gzip', 'br'].map(async (each) => (await get({ 'accept-encoding': each })).headers.etag),
    )
    assert.equal(new Set(tags).size, 3)
  })

  test('is kept uncompressed for a minute only, and not made again after that', async () => {
    const { plain: kept } = fixedTexts
    await get()
    const before = await kept.peek('/text')
    await get()
    assert.ok(before !== undefined && (await kept.peek('/text')) === before)
    nowMs += 60_000
    assert.equal(kept.peek('/text'), undefined)
    assert.equal(String((await get()).bytes), TEXT)
    assert.equal(made, 1)
  })
})
