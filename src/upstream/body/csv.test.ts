import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { FormatError } from '#model/format-error.ts'
import { parseCsv } from './csv.ts'

const reasonOf = (text: string): string => {
  try {
    parseCsv(text)
  } catch (error) {
    assert.ok(error instanceof FormatError, String(error))
    return error.reason
  }
  return 'none'
}

suite('CSV of services', () => {
  test('quoted cells, line ends and a byte order mark', () => {
    const text = '\ufeffid,"full ""name""",note\r\n1,"Ada, M.","two\r\nlines"\n2,Ben,\r\n\n3,"",x'
    assert.deepEqual(parseCsv(text), [
      { id: '1', 'full "name"': 'Ada, M.', note: 'two\r\nlines' },
      { id: '2', 'full "name"': 'Ben', note: '' },
      { id: '3', 'full "name"': '', note: 'x' },
    ])
    assert.deepEqual(parseCsv('a,b\n1,'), [{ a: '1', b: '' }])
  })

  test('rows that are short, names that repeat or are data', () => {
    assert.deepEqual(parseCsv('a,a,\n1,2,3\n4'), [{ a: '1', a_2: '2', _3: '3' }, { a: '4' }])
    const [row] = parseCsv('__proto__\nx')
    assert.deepEqual(Object.keys(row ?? {}), ['__proto__'])
  })

  test('nothing, and only a header', () => {
    assert.deepEqual(parseCsv(''), [])
    assert.deepEqual(parseCsv('a,b\n'), [])
  })

  test('broken texts and bounds', () => {
    assert.equal(reasonOf('a\n"x'), 'csv_invalid')
    assert.equal(reasonOf('a\n"x"y'), 'csv_invalid')
    assert.equal(reasonOf('a\n1,2'), 'csv_invalid')
    assert.equal(reasonOf('a,'.repeat(1001)), 'csv_too_large')
    assert.equal(reasonOf('a\n'.repeat(200_001)), 'csv_too_large')
    assert.equal(reasonOf(`${'a'.repeat(1024 * 1024)}\n${'1\n'.repeat(1000)}`), 'csv_too_large', 'names of columns')
  })
})
