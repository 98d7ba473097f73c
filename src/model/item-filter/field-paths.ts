import { z } from 'zod'

/** Limit (reading): fields that one request may select; more is answered with 400. */
const MAX_FIELDS = 64
/** Limit: steps of the path to one field; more is answered with 400. */
const MAX_DEPTH = 16
/** Limit: characters of the path to one field; more is answered with 400. */
const MAX_CHARS = 512

/** A comma-separated list of paths into an item, such as `data.images.source`. */
export const fieldPaths = (meaning: string) =>
  z
    .string()
    .transform((text, context) => {
      const list = text.split(',').map((path) => path.trim())
      const fault = pathsFault(list)
      if (fault === undefined) return list
      context.addIssue({ code: 'custom', message: fault })
      return z.NEVER
    })
    .optional()
    .describe(meaning)

function pathsFault(list: string[]): string | undefined {
  if (list.length > MAX_FIELDS) return `must be at most ${MAX_FIELDS} paths`
  if (list.some((path) => path.length > MAX_CHARS)) return `each path must have at most ${MAX_CHARS} characters`
  if (list.some((path) => path.split('.').length > MAX_DEPTH)) return `each path must be at most ${MAX_DEPTH} deep`
  return list.some((path) => path.split('.').includes('')) ? 'each path must be names joined by dots' : undefined
}
