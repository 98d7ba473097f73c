import { z } from 'zod'
import { firstOf } from '#platform/list-ends.ts'
import { ApiError, type Reason } from './errors.ts'

/** `true`, `yes`, `1` and their opposites; anything else is a mistake worth telling. */
export function flag(meaning: string) {
  return z
    .enum(['true', 'yes', '1', 'false', 'no', '0'])
    .transform((text) => ['true', 'yes', '1'].includes(text))
    .default(false)
    .describe(meaning)
}

/** Checks what came in against a schema; the refusal names the first field that is wrong. */
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
