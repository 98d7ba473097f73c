import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { JsonError, type JsonReason } from './errors.ts'
import { scanJson } from './json-scan.ts'
import { decodeText, type LosslessJson, parseLossless, parseStored, stringifyLossless } from './lossless-json.ts'

function refusal(reason: JsonReason) {
  return (error: unknown) => error instanceof JsonError && error.reason === reason
}

const anyJson = fc.letrec<{ value: LosslessJson }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constant(null),
    fc.boolean(),
    fc.string({ unit: 'grapheme' }),
    fc.string().map((text) => `"\\${text}\\"1234567890123456789`),
    fc.integer(),
    fc
      .double({ noDefaultInfinity: true, noNaN: true })
      .filter((number) => !Object.is(number, -0) && (Number.isSafeInteger(number) || Math.abs(number) < 2 ** 53)),
    fc.bigInt({ min: 2n ** 53n, max: 2n ** 80n }),
    fc.bigInt({ min: -(2n ** 80n), max: -(2n ** 53n) }),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString')), tie('value'), {
      maxKeys: 5,
      noNullPrototype: true,
    }),
  ),
})).value

test('S48 64-bit ids keep every digit', () => {
  const text = '{"id":9007199254740993,"list":[18446744073709551615,-9223372036854775808,9007199254740991,1.5,10]}'
  const value = parseLossless(text)
  assert.deepEqual(value, {
    id: 9007199254740993n,
    list: [18446744073709551615n, -9223372036854775808n, 9007199254740991, 1.5, 10],
  })
  assert.equal(stringifyLossless(value), text)
})

test('parsing a serialized value gives the same value, serializing a parsed text gives the same text', () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      const text = stringifyLossless(value)
      const again = parseLossless(text)
      assert.deepEqual(again, value)
      assert.equal(stringifyLossless(again), text)
    }),
    { numRuns: 1000 },
  )
})

test('without long numbers the result equals that of JSON.parse', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.equal(stringifyLossless(parseLossless(text)), JSON.stringify(JSON.parse(text)))
    }),
    { numRuns: 500 },
  )
})

test('long fractions and exponents stay numbers; numbers beyond the range of a double are refused', () => {
  assert.deepEqual(
    parseLossless('[0.12345678901234567890,1e5,1E-400,2.5e+300,-12345678901234567890.5,12345678901234567890e2]'),
    [0.12345678901234568, 100000, 0, 2.5e300, -12345678901234567000, 1.2345678901234568e21],
  )
  assert.deepEqual(scanJson('[38.722252000000000123,-9.139337e-12,1e15,true,false]', 64).unsafeNumbers, [])
  for (const text of ['1e400', '-1E999', '9'.repeat(400), '9'.repeat(1_000_000)]) {
    assert.throws(() => parseLossless(`[${text}]`), refusal('json_number_out_of_range'))
  }
})

test('digits in strings are not changed', () => {
  const text = '{"9007199254740993":"9007199254740993 \\\\\\" 9007199254740993"}'
  assert.deepEqual(scanJson(text, 64).unsafeNumbers, [])
  assert.equal(stringifyLossless(parseLossless(text)), text)
})

test('invalid JSON is refused without being quoted', () => {
  for (const text of [
    '',
    'NaN',
    '[NaN]',
    '[Infinity]',
    '{"a":undefined}',
    "{'a':1}",
    '[1,]',
    '"open',
    '"\\',
    '[01]',
    '[1',
    ']',
    '[12345678901234567890',
    '{12345678901234567890:1}',
    '{12345678901234567890 :1}',
    '[012345678901234567890]',
    '[--12345678901234567890]',
    '[-12345678901234567890x]',
    '[1 12345678901234567890]',
    '["a"12345678901234567890]',
    '[12345678901234567890"a"]',
    '[12345678901234567890.]',
    '[12345678901234567890e]',
    '{} x',
    'secret-token',
  ]) {
    assert.throws(() => parseLossless(text), refusal('json_invalid'), text)
  }
  assert.throws(
    () => parseLossless('secret-token'),
    (error: Error) => !/secret/.test(JSON.stringify([error.message, error.cause])),
  )
})

test('S48 depth is counted before parsing', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  assert.equal(stringifyLossless(parseLossless(nested(64))), nested(64))
  assert.throws(() => parseLossless(nested(65)), refusal('json_too_deep'))
  assert.throws(() => parseLossless(nested(1_000_000)), refusal('json_too_deep'))
  assert.throws(() => parseLossless('{"a":'.repeat(1_000_000)), refusal('json_too_deep'))
  assert.deepEqual(parseLossless(`["${'['.repeat(1000)}","\\"${'{'.repeat(1000)}"]`), [
    '['.repeat(1000),
    `"${'{'.repeat(1000)}`,
  ])
  const wide = `[${'[],'.repeat(1000)}[]]`
  assert.equal(scanJson(wide, 64).depth, 2)
})

test('values are counted before parsing; stored JSON is parsed without limit', () => {
  const list = (count: number) => `[${Array.from({ length: count }, () => '0').join(',')}]`
  assert.equal((parseLossless(list(200_000)) as LosslessJson[]).length, 200_000)
  for (const text of [list(200_001), '[],'.repeat(1_000_000), `{${'"a":{},'.repeat(200_001)}}`])
    assert.throws(() => parseLossless(text), refusal('json_too_many_values'))
  assert.equal((parseStored(list(300_000)) as LosslessJson[]).length, 300_000)
  // Commas and brackets in strings are not counted.
  assert.equal(scanJson(`["${',[{'.repeat(1000)}"]`, 64, 10).values, 1)
})

test('S50 keys that name a prototype are plain data, in both ways of parsing', () => {
  for (const number of ['1', '9007199254740993']) {
    const value = parseLossless(
      `{"__proto__":{"polluted":${number}},"constructor":{"prototype":{"polluted":1}}}`,
    ) as Record<string, unknown>
    assert.deepEqual(Object.keys(value), ['__proto__', 'constructor'])
    assert.equal(Object.getPrototypeOf(value), Object.prototype)
    assert.equal('polluted' in value, false)
    assert.equal('polluted' in {}, false)
    for (const text of [`{"__proto__":${number}}`, `{"a":[{"__proto__":{"__proto__":${number}}}]}`])
      assert.equal(stringifyLossless(parseLossless(text)), text)
  }
})

test('the last of equal keys wins, in both ways of parsing', () => {
  assert.deepEqual(parseLossless('{"a":1,"a":2}'), { a: 2 })
  assert.deepEqual(parseLossless('{"a":9007199254740993,"a":9007199254740995}'), { a: 9007199254740995n })
  assert.deepEqual(parseLossless('{"a":9007199254740993,"a":{"b":1}}'), { a: { b: 1 } })
  assert.deepEqual(parseLossless('{"a":{"b":9007199254740993},"a":1}'), { a: 1 })
})

test('S48 byte order mark, invalid UTF-8, lone surrogates, many keys', () => {
  assert.deepEqual(parseLossless('\ufeff{"a":1}'), { a: 1 })
  assert.deepEqual(parseLossless(decodeText(Buffer.from('\ufeff{"a":1}'))), { a: 1 })
  assert.deepEqual(parseLossless(decodeText(Buffer.from([0x22, 0x61, 0xff, 0xc3, 0x22]))), 'a\ufffd\ufffd')
  assert.equal(stringifyLossless(parseLossless('"\\ud800"')), '"\\ud800"')
  const keys = Array.from({ length: 200_000 }, (_, n) => `"k${n}":${n}`).join(',')
  assert.equal(Object.keys(parseLossless(`{${keys}}`) as object).length, 200_000)
})

test('backslashes and quotes take linear time', () => {
  const size = 300_000
  assert.deepEqual(parseLossless(`["${'\\\\'.repeat(size)}","${'\\"'.repeat(size)}"]`), [
    '\\'.repeat(size),
    '"'.repeat(size),
  ])
})

test('stored JSON keeps every digit, wherever an integer stands, and reports faults without quoting the text', () => {
  const big = '12345678901234567890'
  const texts = [
    `{"a":${big}}`,
    `{"a": -${big}}`,
    `{"a":[1,${big}]}`,
    `{"a":[${big}]}`,
    `{"a":\n${big}}`,
    `{"a":"${big}","b":9007199254740993}`,
    `[${big}]`,
    big,
    `-${big}`,
  ]
  for (const text of texts) assert.equal(stringifyLossless(parseStored(text)), text.replaceAll(/[ \n]/g, ''))
  assert.deepEqual(parseStored(`{"a":"x:${big}","b":1.2345678901234567,"c":1e21}`), {
    a: `x:${big}`,
    b: 1.2345678901234567,
    c: 1e21,
  })
  assert.throws(() => parseStored('{"a":1e400}'), refusal('json_number_out_of_range'))
  for (const text of ['{"secret"', '{"a":secret}', `{"a":${big}`]) {
    assert.throws(() => parseStored(text), refusal('json_invalid'))
    assert.throws(
      () => parseStored(text),
      (error: Error) => !/secret/.test(JSON.stringify([error.message, error.cause])),
    )
  }
})
