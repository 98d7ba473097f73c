import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { readEvents, readJsonArray, readNdjson, StreamError } from '../../sdk/src/index.ts'
import { nextQuery } from '../../sdk/src/pages.ts'

/** A body that arrives in pieces of these sizes, in bytes: characters are cut, too. */
function bodyOf(text: string, sizes: readonly number[] = [3]): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  let [at, turn] = [0, 0]
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      const size = Math.max(1, sizes[turn % sizes.length] ?? 1)
      turn += 1
      controller.enqueue(bytes.slice(at, at + size))
      at += size
    },
  })
}

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = []
  for await (const value of values) read.push(value)
  return read
}

suite('the streams of the SDK', () => {
  test('any JSON array is read in any pieces as JSON.parse reads it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue()),
        fc.constantFrom(undefined, 2),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
        async (values, indent, sizes) => {
          const text = JSON.stringify(values, null, indent)
          assert.deepEqual(await all(readJsonArray(bodyOf(text, sizes))), JSON.parse(text))
        },
      ),
      { numRuns: 200 },
    )
  })

  test('an array that breaks off gives its complete elements and then an error', async () => {
    for (const text of ['[{"a":1},{"b":', '[{"a":1},', '[{"a":1}']) {
      const read: unknown[] = []
      await assert.rejects(async () => {
        for await (const value of readJsonArray(bodyOf(text))) read.push(value)
      }, StreamError)
      assert.ok(read.length <= 1)
    }
    for (const text of ['', '{"error":"x"}', 'null', '<html>', '[1,}]'])
      await assert.rejects(all(readJsonArray(bodyOf(text))), StreamError, text)
  })

  test('NDJSON is read line by line', async () => {
    assert.deepEqual(await all(readNdjson(bodyOf('{"a":"ü"}\r\n\n[1]\n"last"'))), [{ a: 'ü' }, [1], 'last'])
    await assert.rejects(all(readNdjson(bodyOf('{}\n{"a"'))), StreamError)
    assert.deepEqual(await all(readNdjson(null)), [])
  })

  test('events are read as the HTML standard says', async () => {
    const text = [
      '\uFEFF: a comment\n',
      'id: 1\nevent: progress\ndata: {"a":1}\n\n',
      'data: two\r\ndata:lines\r\n\r\n',
      'retry: 250\rid: 7\rdata\r\r',
      'event: dropped\n\n',
      'unknown: field\ndata: x\n\n',
      'data: incomplete',
    ].join('')
    const expected = [
      { event: 'progress', data: '{"a":1}', id: '1' },
      { event: 'message', data: 'two\nlines', id: '1' },
      { event: 'message', data: '', id: '7', retryMs: 250 },
      { event: 'message', data: 'x', id: '7', retryMs: 250 },
    ]
    for (const size of [1, 2, 5, 1000])
      assert.deepEqual(await all(readEvents(bodyOf(text, [size]))), expected, `${size}`)
  })

  test('the next page is found among several links', () => {
    const next = '<https://a.test/x?before=1_a&q=a%2Cb>; rel="next"'
    for (const header of [next, `<https://a.test/d>; rel="deprecation", ${next}`, `${next}, <u>; rel=sunset`])
      assert.deepEqual(nextQuery(header), { before: '1_a', q: 'a,b' })
    for (const header of [null, '', '<https://a.test/d>; rel="deprecation"', 'next', '<?a=1>; rel="prev"'])
      assert.equal(nextQuery(header), undefined)
  })
})
