import { z } from 'zod'
import { invalidInput } from '#model/errors.ts'
import { faultOf } from '#model/input/input-faults.ts'

const PEM = /^\s*-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----\s*$/

/** A text that matches a pattern; any other value gets the same error. */
export function textOption(pattern: RegExp, error: string) {
  return z.string({ error }).regex(pattern, { error })
}

export function flagOption() {
  return z.boolean({ error: 'must be true or false' })
}

/** The certificate itself: a path would name one of our files. */
export const ca = textOption(PEM, 'must be a certificate in PEM (-----BEGIN CERTIFICATE-----…)')
  .optional()
  .describe('certificate of your own certificate authority, PEM')
  .meta({ multiline: true })

export const deletes = z
  .enum(['soft', 'hard'], { error: 'must be soft or hard' })
  .default('soft')
  .describe(
    '`soft`: rows of deleted items stay, with `deleted_at`; `hard`: they are removed. See [Deletes and erasures](#deletes-and-erasures)',
  )

/** The stored options of a destination. Unknown ones are ignored: an older release may have accepted them. */
export function storedOptions<Shape extends z.core.$ZodShape>(
  schema: z.ZodObject<Shape>,
  stored: Record<string, unknown>,
): z.output<z.ZodObject<Shape>> {
  return readOptions(schema.strip(), stored)
}

/** Throws an `ApiError` that names the first invalid option. */
export function readOptions<Schema extends z.ZodType>(
  schema: Schema,
  given: Record<string, unknown>,
): z.output<Schema> {
  const result = schema.safeParse(given, { error: (issue) => faultOf(issue, 'json') })
  if (result.success) return result.data
  const [issue] = result.error.issues
  const name = ['options', ...(issue?.path ?? [])].join('.')
  throw invalidInput('bad_body', name, `${issue?.message ?? 'cannot be read'}.`)
}
