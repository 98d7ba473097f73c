import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { z } from 'zod'
import { ApiError } from '../errors.ts'
import { parse } from './input.ts'

function refusal(schema: z.ZodType, value: unknown, notation?: 'pairs' | 'json'): { error: string; param?: string } {
  try {
    parse(schema, value, 'bad_body', notation)
  } catch (error) {
    assert.ok(error instanceof ApiError && error.reason === 'bad_body')
    return { error: error.message, ...(error.param === undefined ? {} : { param: error.param }) }
  }
  return assert.fail('was taken')
}

const LOWER_CASE = z.string().regex(/^[a-z]+$/, 'must be lower-case letters')
const CASES: [what: string, schema: z.ZodType, value: unknown, sentence: string][] = [
  ['a missing text', z.string(), undefined, 'is missing.'],
  ['a list for a text', z.string(), ['a', 'b'], 'must be a text, not a list.'],
  ['a number for a text', z.string(), 5, 'must be a text, not a number.'],
  ['an object for a text', z.string(), {}, 'must be a text, not an object.'],
  ['null for a text', z.string(), null, 'must be a text, not null.'],
  ['true for a text', z.string(), true, 'must be a text, not true.'],
  ['a text for a number', z.number(), '5', 'must be a number, not a text.'],
  ['a text for a list', z.array(z.string()), 'a', 'must be a list, not a text.'],
  ['a list for an object', z.object({}), [], 'must be an object, not a list.'],
  ['a text for a record', z.record(z.string(), z.string()), 'a', 'must be an object, not a text.'],
  ['a text for a boolean', z.boolean(), 'yes', 'must be true or false, not a text.'],
  ['a fraction for a whole number', z.int(), 1.5, 'must be a whole number.'],
  ['a number that is none', z.coerce.number(), 'abc', 'must be a number.'],
  ['an empty text', z.string().min(1), '', 'is empty.'],
  ['a short text', z.string().min(3), 'ab', 'must have at least 3 characters.'],
  ['a long text', z.string().max(3), 'abcd', 'must have at most 3 characters.'],
  ['an empty list', z.array(z.int()).min(1), [], 'is empty.'],
  ['a long list', z.array(z.int()).max(1), [1, 2], 'must have at most 1 entries.'],
  ['a small number', z.number().min(0), -1, 'must be 0 or more.'],
  ['a number at an open bound', z.number().gt(0), 0, 'must be more than 0.'],
  ['a large number', z.number().max(9), 10, 'must be at most 9.'],
  ['a large number at an open bound', z.number().lt(9), 9, 'must be less than 9.'],
  ['a number between the steps', z.number().multipleOf(5), 7, 'must be a multiple of 5.'],
  ['another word', z.enum(['asc', 'desc']), 'up', 'must be one of asc, desc.'],
  ['another constant', z.literal('authorization_code'), 'password', 'must be authorization_code.'],
  ['a text that does not fit its pattern', LOWER_CASE, 'A', 'must be lower-case letters.'],
  ['a text that is not an address', z.url(), 'x', 'must have the form of an address.'],
  [
    'none of two forms',
    z.union([z.int().min(0), z.literal('none')]),
    'x',
    'must be a number, not a text, or must be none.',
  ],
  [
    'none of two objects',
    z.union([z.object({ a: z.int() }), z.object({ b: z.int() })]),
    {},
    'has none of the allowed forms.',
  ],
  ['a name that is not allowed', z.record(LOWER_CASE, z.int()), { A: 1 }, 'has a name that is not allowed.'],
  ['an entry of a map', z.map(z.object({}), z.int()), new Map([[{}, 'x']]), 'has an entry that is not allowed.'],
  ['a rule of our own', z.string().refine(() => false, 'must not be that.'), 'x', 'must not be that.'],
  ['a rule without a sentence', z.string().refine(() => false), 'x', 'cannot be understood.'],
]

suite('sentences about wrong input', () => {
  for (const [what, schema, value, sentence] of CASES)
    test(what, () => {
      const { error, param } = refusal(z.object({ list: z.array(z.object({ field: schema })) }), {
        list: [{ field: value }],
      })
      const [name, ...rest] = error.split(': ')
      assert.equal(rest.join(': '), sentence)
      assert.equal(param, name)
      assert.match(name ?? '', /^list\.0\.field/)
    })

  test('an unknown field of a closed object is the one at fault', () => {
    const schema = z.object({ quotas: z.strictObject({ items: z.int() }) })
    assert.deepEqual(refusal(schema, { quotas: { items: 1, itens: 2 } }), {
      error: 'quotas.itens: is not a known field.',
      param: 'quotas.itens',
    })
  })

  test('the whole body has no name', () => {
    assert.deepEqual(refusal(z.object({ a: z.int() }), []), { error: 'the body: must be an object, not a list.' })
    assert.deepEqual(refusal(z.array(z.int()), {}), { error: 'the body: must be a list, not an object.' })
  })

  test('in a form, a list is a repeated name', () => {
    const schema = z.object({ code: z.string(), profile: z.enum(['all', 'last']).optional() })
    assert.equal(refusal(schema, { code: ['a', 'b'] }, 'pairs').error, 'code: was given more than once.')
    assert.equal(
      refusal(schema, { code: 'a', profile: ['all', 'all'] }, 'pairs').error,
      'profile: was given more than once.',
    )
  })

  test('every kind of issue that zod has is in the table', () => {
    const seen = new Set<string>()
    for (const [, schema, value] of CASES) seen.add(schema.safeParse(value).error?.issues[0]?.code ?? '')
    const kinds =
      'invalid_type too_big too_small invalid_format not_multiple_of invalid_union invalid_key invalid_element invalid_value custom'
    assert.deepEqual([...seen].sort(), kinds.split(' ').sort())
  })
})
