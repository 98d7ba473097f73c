import { randomUUID } from 'node:crypto'
import { JsonError } from './errors.ts'
import { scanJson } from './json-scan.ts'

declare global {
  interface JSON {
    /** Node has it; the types of the language do not yet. */
    rawJSON(text: string): unknown
  }
}

/**
 * JSON whose integers keep all their digits: beyond ±(2^53 - 1) they are `bigint`, so that `String(id)` is the id as the
 * service wrote it. Everything else is what JSON.parse gives.
 */
export type LosslessJson = null | boolean | number | bigint | string | LosslessJson[] | { [key: string]: LosslessJson }

/**
 * Limit: nesting of arrays and objects in JSON from outside, where the caller names no other; deeper JSON is refused.
 */
export const MAX_JSON_DEPTH = 64
/** Limit: values in one JSON text from outside, arrays and objects and what is in them; a text with more is refused before it is built. */
export const MAX_JSON_VALUES = 200_000
/**
 * Limit: digits of an integer in JSON; no id is longer, and big integers cost more than linear time. More is refused.
 */
const MAX_INTEGER_DIGITS = 308

const NUMBER = /(?<integer>-?(?:0|[1-9]\d*))(?<rest>(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=[\s,\]}]|$)(?!\s*:)/y
// Nobody outside this process knows it, so no text of a service begins with it.
const MARK = randomUUID()

/** Bytes of an answer as text: a byte order mark is dropped, what is no UTF-8 becomes U+FFFD. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8').decode(bytes)
}

/** What is stored already was judged when it came: it is read whatever it holds. */
export function parseStored(text: string): LosslessJson {
  return parseLossless(text, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)
}

/** Parses without losing digits; throws JsonError. Own keys only: `__proto__` is data like any other key. */
export function parseLossless(text: string, maxDepth = MAX_JSON_DEPTH, maxValues = MAX_JSON_VALUES): LosslessJson {
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  const { depth, careful, values } = scanJson(plain, maxDepth, maxValues)
  if (depth > maxDepth) throw new JsonError('json_too_deep', `The JSON is nested deeper than ${maxDepth}`)
  if (values > maxValues) throw new JsonError('json_too_many_values', `The JSON has more than ${maxValues} values`)
  try {
    if (careful.length === 0) return JSON.parse(plain) as LosslessJson
    return unmark(JSON.parse(markIntegers(plain, careful)) as LosslessJson)
  } catch (error) {
    if (error instanceof JsonError) throw error
    // The platform's message quotes the text, which is somebody's data, so it is not kept.
    throw new JsonError('json_invalid', 'The text is not JSON')
  }
}

/** Writes what `parseLossless` read: big integers as bare digits. */
export function stringifyLossless(value: LosslessJson): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    // Plain writing is far faster and refuses only big integers, so it goes first.
    if (!(error instanceof TypeError)) throw error
    return JSON.stringify(value, writeDigits)
  }
}

/** Writes integers that no number holds as marked texts: asking the parser for the source of every value takes many times as long. */
function markIntegers(text: string, starts: number[]): string {
  let marked = ''
  let from = 0
  for (const start of starts) {
    NUMBER.lastIndex = start
    const found = NUMBER.exec(text)
    // Not a value of its own: the parser will say so.
    if (found === null) continue
    const { integer, rest } = found.groups as { integer: string; rest: string }
    const value = Number(found[0])
    if (!Number.isFinite(value) || (rest === '' && integer.length > MAX_INTEGER_DIGITS))
      throw new JsonError('json_number_out_of_range', 'The JSON holds a number that is too large')
    if (rest !== '' || Number.isSafeInteger(value)) continue
    marked += `${text.slice(from, start)}"${MARK}${integer}"`
    from = start + integer.length
  }
  return marked + text.slice(from)
}

function unmark(value: LosslessJson): LosslessJson {
  if (typeof value === 'string') return value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value
  if (value === null || typeof value !== 'object') return value
  const holder = value as { [key: string]: LosslessJson }
  for (const key of Object.keys(holder)) {
    const before = holder[key]!
    const after = unmark(before)
    // Only a mark becomes another value, and assigning to `__proto__` would do something else.
    if (after !== before) Object.defineProperty(holder, key, { ...OWN, value: after })
  }
  return value
}

const OWN = { configurable: true, enumerable: true, writable: true }

function writeDigits(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value
}
