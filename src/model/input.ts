import { z } from 'zod'
import { firstOf } from '#platform/list-ends.ts'
import { ApiError, type Reason } from './errors.ts'

/** A boolean in a query: `true`, `yes` or `1`, `false`, `no` or `0`; anything else is an error. */
export function flag(meaning: string) {
  return z
    .enum(['true', 'yes', '1', 'false', 'no', '0'])
    .transform((text) => ['true', 'yes', '1'].includes(text))
    .default(false)
    .describe(meaning)
}

/** Validates input by a schema; the error names the first wrong field. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, reason: Reason): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issue = firstOf(result.error.issues)
  const name = issue.path.join('.') || (reason === 'bad_body' ? 'the body' : 'the query')
  throw new ApiError(reason, `${name}: ${sentence(issue, valueAt(value, issue.path))}`)
}

function sentence(issue: z.core.$ZodIssue, given: unknown): string {
  if (given === undefined) return 'is missing.'
  if (Array.isArray(given) && issue.code === 'invalid_type' && issue.expected !== 'array')
    return 'was given more than once.'
  return `${issue.message.replace(/^Invalid input: /, '').replace(/\.$/, '')}.`
}

function valueAt(value: unknown, path: PropertyKey[]): unknown {
  let at = value
  for (const step of path)
    at = at !== null && typeof at === 'object' ? (at as Record<PropertyKey, unknown>)[step] : undefined
  return at
}
