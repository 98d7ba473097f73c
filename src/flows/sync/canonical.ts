import { scanJson } from '#upstream/body/json-scan.ts'
import type { LosslessJson } from '#upstream/body/lossless-json.ts'
import { stringifyLossless } from '#upstream/body/lossless-json.ts'

/** Limit: nesting of one record; a deeper one could be stored but never be written out again, and is quarantined. */
const MAX_ITEM_DEPTH = 64

/** The same text for the same content, whatever order a service writes its keys in. */
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

/** The same of a record that is written already, in a third of the time. */
export function isTextTooDeep(text: string): boolean {
  return scanJson(text, MAX_ITEM_DEPTH).depth > MAX_ITEM_DEPTH
}
