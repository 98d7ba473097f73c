import { z } from 'zod'
import { ApiError } from '#model/errors.ts'

const PEM = /^\s*-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----\s*$/

/** A text of a certain form; the same sentence says what is wrong with any other value. */
export function textOption(pattern: RegExp, error: string) {
  return z.string({ error }).regex(pattern, { error })
}

export function flagOption() {
  return z.boolean({ error: 'must be true or false' })
}

/** As text; paths would be our files. */
export const ca = textOption(PEM, 'must be a certificate in PEM (-----BEGIN CERTIFICATE-----…)')
  .optional()
  .describe('certificate authority of your own, PEM')

export const deletes = z
  .enum(['soft', 'hard'], { error: 'must be soft or hard' })
  .default('soft')
  .describe(
    '`soft`: rows of items that are gone stay with `deleted_at`; `hard`: they are removed. See [Deletes and erasures](#deletes-and-erasures)',
  )

/** The options of a kind as they are stored. What it does not know is left out: an older release may have taken it. */
export function storedOptions<Shape extends z.core.$ZodShape>(
  schema: z.ZodObject<Shape>,
  stored: Record<string, unknown>,
): z.output<z.ZodObject<Shape>> {
  return readOptions(schema.strip(), stored)
}

/** Throws what an app can read: the first option that is wrong, by its name. */
export function readOptions<Schema extends z.ZodType>(
  schema: Schema,
  given: Record<string, unknown>,
): z.output<Schema> {
  const result = schema.safeParse(given)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const name = ['options', ...(issue?.path ?? [])].join('.')
  throw new ApiError('bad_body', `${name}: ${issue?.message ?? 'cannot be read'}.`)
}
