import { JsonError } from './errors.ts'
import { scanJson } from './json-scan.ts'

/**
 * JSON whose integers keep all their digits: beyond ±(2^53 - 1) they are `bigint`, so that `String(id)` is the id as the
 * service wrote it. Everything else is what JSON.parse gives.
 */
export type LosslessJson = null | boolean | number | bigint | string | LosslessJson[] | { [key: string]: LosslessJson }

/** The parts of JSON that the platform has and the compiler's library does not yet describe. */
interface JsonWithSource {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
  rawJSON(text: string): object
}

export const MAX_JSON_DEPTH = 64
// No id is longer, and big integers cost more than linear time.
const MAX_INTEGER_DIGITS = 308

const sourced = JSON as unknown as JsonWithSource
const INTEGER = /^-?\d+$/

/** Bytes of an answer as text: a byte order mark is dropped, what is no UTF-8 becomes U+FFFD. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8').decode(bytes)
}

/** Parses without losing digits; throws JsonError. Own keys only: `__proto__` is data like any other key. */
export function parseLossless(text: string, maxDepth = MAX_JSON_DEPTH): LosslessJson {
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  const { depth, needsCare } = scanJson(plain, maxDepth)
  if (depth > maxDepth) throw new JsonError('json_too_deep', `The JSON is nested deeper than ${maxDepth}`)
  try {
    return (needsCare ? sourced.parse(plain, keepDigits) : JSON.parse(plain)) as LosslessJson
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

function keepDigits(_key: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined || Number.isSafeInteger(value)) return value
  const integer = INTEGER.test(source)
  if (!Number.isFinite(value) || (integer && source.length > MAX_INTEGER_DIGITS)) {
    throw new JsonError('json_number_out_of_range', 'The JSON holds a number that is too large')
  }
  return integer ? BigInt(source) : value
}

function writeDigits(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? sourced.rawJSON(String(value)) : value
}
