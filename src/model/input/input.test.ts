import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { z } from 'zod'
import { ApiError } from '../errors.ts'
import { flag, parse } from './input.ts'

function refusal(schema: z.ZodType, value: unknown): string {
  try {
    parse(schema, value, 'bad_parameter')
  } catch (error) {
    assert.ok(error instanceof ApiError && error.reason === 'bad_parameter')
    return error.message
  }
  return assert.fail('was taken')
}

suite('parameters', () => {
  const schema = z.object({
    deep: flag('x'),
    name: z.string().min(1).max(5),
    at: z.object({ lat: z.number() }).optional(),
  })

  test('true, yes, 1 are true; false, no, 0 and absent are false; all else is a mistake', () => {
    for (const yes of ['true', 'yes', '1'])
      assert.equal(parse(schema, { name: 'a', deep: yes }, 'bad_parameter').deep, true)
    for (const no of ['false', 'no', '0', undefined])
      assert.equal(parse(schema, { name: 'a', deep: no }, 'bad_parameter').deep, false)
    for (const bad of ['', 'TRUE', 'on', '2', ' 1']) assert.match(refusal(schema, { name: 'a', deep: bad }), /^deep: /)
  })

  test('a refusal names the field, however deep, and says what is wrong', () => {
    assert.equal(refusal(schema, {}), 'name: is missing.')
    assert.equal(refusal(schema, { name: ['a', 'b'] }), 'name: was given more than once.')
    assert.match(refusal(schema, { name: '' }), /^name: .+\.$/)
    assert.match(refusal(schema, { name: 'abcdef' }), /^name: .+\.$/)
    assert.match(refusal(schema, { name: 'a', at: { lat: 'x' } }), /^at\.lat: .+\.$/)
    assert.match(refusal(schema, 'text'), /^the query: /)
  })

  test('a refusal repeats nothing that was given', () => {
    assert.doesNotMatch(refusal(schema, { name: 'c4nary-c4nary' }), /c4nary/)
    assert.doesNotMatch(refusal(schema, { name: 'a', deep: 'c4nary' }), /c4nary/)
  })

  test('S50 names of the prototype are data, and unknown ones are dropped', () => {
    const value: unknown = JSON.parse('{"name":"a","__proto__":{"deep":"yes"},"constructor":1,"other":2}')
    assert.deepEqual(parse(schema, value, 'bad_parameter'), { name: 'a', deep: false })
  })
})
