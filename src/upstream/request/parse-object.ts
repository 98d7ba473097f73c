import { JsonError } from '../body/errors.ts'
import { type LosslessJson, parseLossless } from '../body/lossless-json.ts'

export type LosslessObject = { [key: string]: LosslessJson }

/** Parses a JSON object; undefined for any other text. */
export function parseObject(text: string): LosslessObject | undefined {
  try {
    const value = parseLossless(text)
    return isObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

export function isObject(value: unknown): value is LosslessObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The fields of a JSON or form-encoded response. The text decides, because the content type of services is unreliable.
 */
export function parseFields(text: string): LosslessObject | undefined {
  const trimmed = text.trim()
  if (trimmed.startsWith('{')) return parseObject(trimmed)
  if (!/^[\w.~%+*-]+=/.test(trimmed)) return undefined
  return Object.fromEntries(new URLSearchParams(trimmed))
}
