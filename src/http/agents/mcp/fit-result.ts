import { ApiError } from '#model/errors.ts'

/** Limit: characters of the result of a tool; a page is cut to fewer items, and the texts of a single larger item are shortened. */
export const MAX_RESULT_CHARS = 60_000
/** Limit: characters of each text of an item that is too large for a result; the rest is cut off. */
const MAX_SHORTENED_TEXT = 500
/** Limit: entries of each list of an item that is too large for a result; the rest is left out. */
const MAX_SHORTENED_LIST = 20

/** Reads a page that fits: with half of the limit until it does. */
export async function readFitting<Page extends Record<string, unknown>>(
  limit: number,
  read: (limit: number) => Promise<Page>,
): Promise<Page | Record<string, unknown>> {
  let size = limit
  for (;;) {
    const page = await read(size)
    if (fits(page)) return page
    if (size > 1) size = Math.floor(size / 2)
    else return shortened(page)
  }
}

/** Shortens texts and lists if the result is too large. */
export function shortened(result: Record<string, unknown>): Record<string, unknown> {
  if (fits(result)) return result
  const { cursor, ...rest } = result
  const short = { ...(shorten(rest) as object), ...(cursor === undefined ? {} : { cursor }), shortened: true }
  if (fits(short)) return short
  throw new ApiError('body_too_large', 'The result is too large for an agent.')
}

function fits(result: Record<string, unknown>): boolean {
  return JSON.stringify(result).length <= MAX_RESULT_CHARS
}

function shorten(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length <= MAX_SHORTENED_TEXT ? value : `${value.slice(0, MAX_SHORTENED_TEXT)}…`
  if (Array.isArray(value)) return value.slice(0, MAX_SHORTENED_LIST).map(shorten)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shorten(each)]))
}
