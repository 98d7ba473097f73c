import { scanJson } from '#upstream/body/json-scan.ts'
import type { LosslessJson } from '#upstream/body/lossless-json.ts'
import { stringifyLossless } from '#upstream/body/lossless-json.ts'

/** Limit: nesting of one record; a deeper one could be stored but not serialized again, and is quarantined. */
const MAX_ITEM_DEPTH = 64

/**
 * Limit: values of one record, arrays and objects and what is in them; a record with more is quarantined, an own item
 * refused with 400.
 */
const MAX_ITEM_VALUES = 50_000

/** The same text for the same content, regardless of the order of keys. */
export function canonicalText(value: LosslessJson): string {
  return stringifyLossless(sorted(value))
}

function sorted(value: LosslessJson): LosslessJson {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const copy: { [key: string]: LosslessJson } = Object.create(null)
  for (const key of Object.keys(value).sort()) copy[key] = sorted(value[key]!)
  return copy
}

export function isTooDeep(value: unknown, left = MAX_ITEM_DEPTH): boolean {
  if (value === null || typeof value !== 'object') return false
  if (left === 0) return true
  return Object.values(value).some((entry) => isTooDeep(entry, left - 1))
}

export function hasTooManyValues(value: unknown): boolean {
  return scanJson(JSON.stringify(value) ?? '', Number.POSITIVE_INFINITY, MAX_ITEM_VALUES).values > MAX_ITEM_VALUES
}

/** Why a record with this text cannot be stored; undefined when it can. */
export function structureFault(text: string): string | undefined {
  // Most records are far from both limits, and counting their brackets takes a tenth of the time of a scan.
  if (text.length <= MAX_ITEM_VALUES && countOf('{', text) + countOf('[', text) <= MAX_ITEM_DEPTH) return undefined
  const { depth, values } = scanJson(text, MAX_ITEM_DEPTH, MAX_ITEM_VALUES)
  if (depth > MAX_ITEM_DEPTH) return `nested deeper than ${MAX_ITEM_DEPTH}`
  return values > MAX_ITEM_VALUES ? `more than ${MAX_ITEM_VALUES} values` : undefined
}

/** Counts up to one more than the deepest nesting that is allowed; brackets inside strings count too. */
function countOf(bracket: string, text: string): number {
  let count = 0
  for (let at = text.indexOf(bracket); at >= 0 && count <= MAX_ITEM_DEPTH; at = text.indexOf(bracket, at + 1))
    count += 1
  return count
}
