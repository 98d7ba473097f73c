import { randomUUID } from 'node:crypto'
import { JsonError } from './errors.ts'
import { scanJson } from './json-scan.ts'

declare global {
  interface JSON {
    /** Available in Node; missing in the types of TypeScript. */
    rawJSON(text: string): unknown
  }
}

/**
 * JSON whose integers keep all their digits: beyond ±(2^53 - 1) they are `bigint`, so that `String(id)` is the id as
 * the service wrote it. Everything else is as JSON.parse returns it.
 */
export type LosslessJson = null | boolean | number | bigint | string | LosslessJson[] | { [key: string]: LosslessJson }

/**
 * Limit: nesting of arrays and objects in JSON from outside, unless the caller sets another; deeper JSON is refused.
 */
export const MAX_JSON_DEPTH = 64
/** Limit: values in one JSON text from outside, nested ones included; a text with more is refused before it is parsed. */
export const MAX_JSON_VALUES = 200_000
/**
 * Limit: digits of an integer in JSON; no id is longer, and parsing big integers takes more than linear time. A longer
 * one is refused.
 */
const MAX_INTEGER_DIGITS = 308

const NUMBER = /(?<integer>-?(?:0|[1-9]\d*))(?<rest>(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=[\s,\]}]|$)(?!\s*:)/y
/** In an object without a match, also inside its strings, JSON.parse changes no number. Searching takes half the time of a scan. */
const MAYBE_UNSAFE_NUMBER = /[:,[\s-]\d{16}|\d[eE][-+]?\d{3}/
// Random, so that no string of a service starts with it.
const MARKER = randomUUID()

/** Decodes bytes as UTF-8: drops a byte order mark, replaces invalid bytes by U+FFFD. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8').decode(bytes)
}

/** Parses stored JSON without limits, because they were checked before it was stored. */
export function parseStored(text: string): LosslessJson {
  if (text.startsWith('{') && !MAYBE_UNSAFE_NUMBER.test(text)) {
    try {
      return JSON.parse(text) as LosslessJson
    } catch {
      // Parsed again below, which reports the fault without quoting the text.
    }
  }
  return parseLossless(text, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)
}

/** Parses without losing digits; throws JsonError. Own keys only: `__proto__` is data like any other key. */
export function parseLossless(text: string, maxDepth = MAX_JSON_DEPTH, maxValues = MAX_JSON_VALUES): LosslessJson {
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  const { depth, unsafeNumbers, values } = scanJson(plain, maxDepth, maxValues)
  if (depth > maxDepth) throw new JsonError('json_too_deep', `The JSON is nested deeper than ${maxDepth}`)
  if (values > maxValues) throw new JsonError('json_too_many_values', `The JSON has more than ${maxValues} values`)
  try {
    if (unsafeNumbers.length === 0) return JSON.parse(plain) as LosslessJson
    return unmark(JSON.parse(markIntegers(plain, unsafeNumbers)) as LosslessJson)
  } catch (error) {
    if (error instanceof JsonError) throw error
    // Without a cause, because the platform's message quotes the text, which is personal data.
    throw new JsonError('json_invalid', 'The text is not JSON')
  }
}

/** Serializes a value of `parseLossless`: big integers become plain digits. */
export function stringifyLossless(value: LosslessJson): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    // First without a replacer, which is far faster and fails only on big integers.
    if (!(error instanceof TypeError)) throw error
    return JSON.stringify(value, writeDigits)
  }
}

/** Replaces unsafe integers by marked strings. A reviver with source text access would be many times slower. */
function markIntegers(text: string, starts: number[]): string {
  let marked = ''
  let from = 0
  for (const start of starts) {
    NUMBER.lastIndex = start
    const found = NUMBER.exec(text)
    // Not a number token: JSON.parse will fail.
    if (found === null) continue
    const { integer, rest } = found.groups as { integer: string; rest: string }
    const value = Number(found[0])
    if (!Number.isFinite(value) || (rest === '' && integer.length > MAX_INTEGER_DIGITS))
      throw new JsonError('json_number_out_of_range', 'The JSON has a number that is too large')
    if (rest !== '' || Number.isSafeInteger(value)) continue
    marked += `${text.slice(from, start)}"${MARKER}${integer}"`
    from = start + integer.length
  }
  return marked + text.slice(from)
}

function unmark(value: LosslessJson): LosslessJson {
  if (typeof value === 'string') return value.startsWith(MARKER) ? BigInt(value.slice(MARKER.length)) : value
  if (value === null || typeof value !== 'object') return value
  const holder = value as { [key: string]: LosslessJson }
  for (const key of Object.keys(holder)) {
    const before = holder[key]!
    const after = unmark(before)
    // Only marked strings change. JSON.parse made every key an own one, so assigning to `__proto__` sets no prototype.
    if (after !== before) holder[key] = after
  }
  return value
}

function writeDigits(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value
}
