import { z } from 'zod'
import { firstOf } from '#platform/formats/list-ends.ts'
import { ApiError, invalidInput } from '../errors.ts'
import { faultOf, type Notation } from './input-faults.ts'

/** A boolean in a query: `true`, `yes` or `1`, `false`, `no` or `0`; anything else is an error. */
export function flag(meaning: string) {
  return z
    .enum(['true', 'yes', '1', 'false', 'no', '0'], {
      error: ({ input }) => (typeof input === 'string' ? 'must be true, yes, 1, false, no or 0' : undefined),
    })
    .transform((text) => ['true', 'yes', '1'].includes(text))
    .default(false)
    .describe(meaning)
}

/** Validates input by a schema; the error names the first wrong field. */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  reason: 'bad_parameter' | 'bad_body',
  notation: Notation = reason === 'bad_body' ? 'json' : 'pairs',
): z.output<Schema> {
  const result = schema.safeParse(value, { error: (issue) => faultOf(issue, notation) })
  if (result.success) return result.data
  const issue = firstOf(result.error.issues)
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  const name = [...issue.path, ...unknown].join('.')
  const fault = `${issue.message.replace(/\.$/, '')}.`
  if (name === '') throw new ApiError(reason, `the ${reason === 'bad_body' ? 'body' : 'query'}: ${fault}`)
  throw invalidInput(reason, name, fault)
}
