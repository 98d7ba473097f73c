import { z } from 'zod'

/** A text parameter that must not be empty. */
export function text(meaning: string, maxChars = 2000) {
  return z.string().min(1).max(maxChars).describe(meaning)
}

/** Removes fields with an empty text. */
export function withoutEmpty(fields: unknown): unknown {
  if (fields === null || typeof fields !== 'object' || Array.isArray(fields)) return fields
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
}
