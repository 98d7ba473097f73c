import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fastify from 'fastify'
import { createFixedTexts, sendFixed } from './fixed-text.ts'

const TEXT = 'A text that repeats itself, é. '.repeat(100)
let nowMs = 0
let made = 0
const server = fastify()
server.decorate('fixedTexts', createFixedTexts({ now: () => nowMs }))
server.get('/text', async (request, reply) =>
  sendFixed(request, reply.header('vary', 'accept'), 'text/plain; charset=utf-8', () => {
    made += 1
    return TEXT
  }),
)
after(() => server.close())

const get = (headers: Record<string, string> = {}) => server.inject({ url: '/text', headers })

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
      const { headers, rawPayload, statusCode } = await get(accepting)
      assert.equal(statusCode, 200)
      assert.equal(headers['content-encoding'], encoding)
      assert.equal(headers['content-type'], 'text/plain; charset=utf-8')
      assert.equal(headers['content-length'], String(rawPayload.length))
      assert.equal(headers.vary, 'accept, accept-encoding')
      assert.equal(decode(rawPayload).toString(), TEXT)
      for (const known of [headers.etag!, `W/${headers.etag}`, `"x", ${headers.etag}`, '*']) {
        const again = await get({ ...accepting, 'if-none-match': known })
        assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, '', headers.etag])
        assert.equal(again.headers.vary, 'accept, accept-encoding')
      }
      assert.equal((await get({ ...accepting, 'if-none-match': '"x"' })).statusCode, 200)
      assert.equal(made, 1)
    })

  test('has another ETag in each form', async () => {
    const tags = await Promise.all(
      ['', 'gzip', 'br'].map(async (each) => (await get({ 'accept-encoding': each })).headers.etag),
    )
    assert.equal(new Set(tags).size, 3)
  })

  test('is kept uncompressed for a minute only, and not made again after that', async () => {
    const { plain: kept } = server.fixedTexts
    await get()
    const before = await kept.peek('/text')
    await get()
    assert.ok(before !== undefined && (await kept.peek('/text')) === before)
    nowMs += 60_000
    assert.equal(kept.peek('/text'), undefined)
    assert.equal((await get()).body, TEXT)
    assert.equal(made, 1)
  })
})
