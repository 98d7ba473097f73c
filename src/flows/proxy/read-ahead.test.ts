import assert from 'node:assert/strict'
import { PassThrough, type Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { suite, test } from 'node:test'
import { readAhead } from './read-ahead.ts'

const LIMITS = { maxBytes: 10, maxMs: 60_000 }

suite('reading a body ahead', () => {
  test('a buffered body is returned unchanged', async () => {
    const body = Buffer.from('x'.repeat(100))
    assert.equal(await readAhead(body, LIMITS), body)
  })

  test('a short stream is buffered', async () => {
    const body = new PassThrough()
    body.write('abc')
    body.end('def')
    assert.deepEqual(await readAhead(body, LIMITS), Buffer.from('abcdef'))
  })

  test('an empty stream is an empty buffer', async () => {
    const body = new PassThrough()
    body.end()
    assert.deepEqual(await readAhead(body, LIMITS), Buffer.alloc(0))
  })

  test('a longer one loses no byte, received before or after', async () => {
    const body = new PassThrough()
    body.write('0123456789')
    body.write('abc')
    const ahead = await readAhead(body, LIMITS)
    assert.equal(ahead, body)
    body.write('def')
    body.end('ghi')
    assert.equal((await buffer(ahead as Readable)).toString(), '0123456789abcdefghi')
  })

  test('a longer one can be read by events and paused', async () => {
    const body = new PassThrough()
    body.end('0123456789abcdef')
    const ahead = (await readAhead(body, LIMITS)) as Readable
    const pieces: string[] = []
    await new Promise((resolve) => {
      ahead.on('data', (piece: Buffer) => {
        pieces.push(piece.toString())
        ahead.pause()
        setImmediate(() => ahead.resume())
      })
      ahead.once('end', resolve)
    })
    assert.equal(pieces.join(''), '0123456789abcdef')
  })

  test('one that does not end in time stays a stream', async () => {
    const body = new PassThrough()
    body.write('abc')
    const ahead = await readAhead(body, { ...LIMITS, maxMs: 1 })
    body.end('def')
    assert.equal((await buffer(ahead as Readable)).toString(), 'abcdef')
  })

  test('an interrupted one is a failure of the service', async () => {
    const body = new PassThrough()
    body.on('error', () => {})
    body.write('abc')
    const ahead = readAhead(body, LIMITS)
    body.destroy(new Error('reset'))
    await assert.rejects(ahead, { name: 'UpstreamError', reason: 'service_unreachable' })
    await assert.rejects(readAhead(body, LIMITS), { name: 'UpstreamError', reason: 'service_unreachable' })
  })
})
