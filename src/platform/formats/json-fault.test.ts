import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { findJsonFault } from './json-fault.ts'

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // The question is whether it throws.
    return false
  }
}

const CASES: [text: string, line: number, column: number, problem: string][] = [
  ['', 1, 1, 'the text ends where a value is expected'],
  ['hello', 1, 1, 'expected a value'],
  ['{', 1, 2, 'the text ends where a name in double quotes is expected'],
  ['{"a":1', 1, 7, 'the text ends where a comma or “}” is expected'],
  ['{"a":1,}', 1, 8, 'expected a name in double quotes'],
  ['{"a" 1}', 1, 6, 'expected a colon'],
  ["{'a':1}", 1, 2, 'expected a name in double quotes'],
  ['{\n  "a": 1,\n  "b": }', 3, 8, 'expected a value'],
  ['[1 2]', 1, 4, 'expected a comma or “]”'],
  ['[1,2', 1, 5, 'the text ends where a comma or “]” is expected'],
  ['[[],{}', 1, 7, 'the text ends where a comma or “]” is expected'],
  ['{"a":[1}', 1, 8, 'expected a comma or “]”'],
  ['"abc', 1, 1, 'the text that begins here does not end'],
  ['["a\nb"]', 1, 4, 'a control character must be escaped'],
  [String.raw`"\x"`, 1, 2, 'unknown escape sequence'],
  ['01', 1, 2, 'something follows after the end of the value'],
  ['{} {}', 1, 4, 'something follows after the end of the value'],
  ['[1,\r\n tru]', 2, 2, 'expected a value'],
]

suite('the place where JSON breaks', () => {
  for (const [text, line, column, problem] of CASES)
    test(JSON.stringify(text), () => assert.deepEqual(findJsonFault(text), { line, column, problem }))

  test('there is none in JSON', () => {
    fc.assert(fc.property(fc.json(), (text) => assert.equal(findJsonFault(text), undefined)))
    fc.assert(
      fc.property(fc.jsonValue(), (value) => assert.equal(findJsonFault(JSON.stringify(value, null, 2)), undefined)),
    )
  })

  test('any text has a fault exactly if it cannot be parsed', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '1',
      '-',
      '.5',
      'e9',
      'null',
      ' ',
      '\n',
      '\\',
      '\\u00e4',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('')
        assert.equal(findJsonFault(text) === undefined, isJson(text), JSON.stringify(text))
      }),
      { numRuns: 3000 },
    )
  })

  test('deep and long texts are scanned without a deep stack', () => {
    assert.deepEqual(findJsonFault('['.repeat(1_000_000)), {
      line: 1,
      column: 1_000_001,
      problem: 'the text ends where a value is expected',
    })
    assert.equal(findJsonFault(`${'['.repeat(500_000)}${']'.repeat(500_000)}`), undefined)
  })
})
