import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import * as fc from 'fast-check'
import {
  arrayLiteral,
  byteaArray,
  float8Array,
  int4Array,
  int8Array,
  textArray,
  uuidArray,
} from '#platform/postgres/binary-arrays.ts'
import { type Opened, openFresh } from './opened.ts'

let opened: Opened
before(async () => {
  opened = await openFresh()
})
after(() => opened.close())

/** The array as PostgreSQL decodes it. */
async function read(type: string, array: Buffer): Promise<unknown[]> {
  const text = `select array_agg(n.value order by n.place) as list from unnest($1::${type}[]) with ordinality as n (value, place)`
  const [row] = await opened.database.rows<{ list: unknown[] | null }>({ name: '', text }, [array])
  return row!.list ?? []
}

const storable = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0') && text.isWellFormed())
const odd = fc.oneof(storable, fc.constantFrom('', '"', '\\', '{"a":"b\\n"}', 'NULL', '{}', ',', '😀'))
const arrays = { numRuns: 60 }

suite('binary arrays', () => {
  test('texts, also empty, null and full of quotes', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.option(odd, { nil: undefined })), async (list) => {
        assert.deepEqual(
          await read('text', textArray(list)),
          list.map((text) => text ?? null),
        )
      }),
      arrays,
    ))

  test('integers of either size and sign', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.maxSafeInteger()), fc.array(fc.integer()), async (large, small) => {
        assert.deepEqual(
          (await read('bigint', int8Array(large))).map(Number),
          large.map((number) => number),
        )
        assert.deepEqual(await read('integer', int4Array(small)), small)
      }),
      arrays,
    ))

  test('fractions and nulls', async () => {
    const list = [0.5, undefined, -180, 1e-300, 38.722252]
    assert.deepEqual(await read('double precision', float8Array(list)), [0.5, null, -180, 1e-300, 38.722252])
  })

  test('bytes and ids', async () => {
    const id = '00112233445566778899aabbccddeeff'
    assert.deepEqual(await read('uuid', uuidArray([id])), ['00112233-4455-6677-8899-aabbccddeeff'])
    assert.deepEqual(await read('bytea', byteaArray([Buffer.from([0, 255]), Buffer.alloc(0)])), [
      Buffer.from([0, 255]),
      Buffer.alloc(0),
    ])
  })

  test('nested arrays', () =>
    fc.assert(
      fc.asyncProperty(fc.array(odd), async (list) => {
        const text = 'select (n.value)::text[] as list from unnest($1::text[]) as n (value)'
        const rows = await opened.database.rows<{ list: string[] }>({ name: '', text }, [
          textArray([arrayLiteral(list)]),
        ])
        assert.deepEqual(rows, [{ list }])
      }),
      arrays,
    ))
})
