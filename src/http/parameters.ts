import { z } from 'zod'

export function text(meaning: string, most = 2000) {
  return z.string().min(1).max(most).describe(meaning)
}

/** The fields that have a value. */
export function withoutEmpty(fields: unknown): unknown {
  if (fields === null || typeof fields !== 'object' || Array.isArray(fields)) return fields
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
}
