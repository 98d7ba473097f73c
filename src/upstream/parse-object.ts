import { JsonError } from './body/errors.ts'
import { type LosslessJson, parseLossless } from './body/lossless-json.ts'

export type LosslessObject = { [key: string]: LosslessJson }

/** A JSON object from an answer, or undefined when it holds anything else. */
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

/** The fields of an answer that is JSON or form-encoded: services name either one either way, so the text itself decides. */
export function parseFields(text: string): LosslessObject | undefined {
  const trimmed = text.trim()
  if (trimmed.startsWith('{')) return parseObject(trimmed)
  if (!/^[\w.~%+*-]+=/.test(trimmed)) return undefined
  return Object.fromEntries(new URLSearchParams(trimmed))
}
