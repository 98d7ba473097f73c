import { z } from 'zod'

/** A text parameter that must not be empty. */
export function text(meaning: string, maxChars = 2000) {
  return z.string().min(1).max(maxChars).refine(isStorable, 'must not contain the character U+0000').describe(meaning)
}

/** PostgreSQL cannot store U+0000 in a text. */
function isStorable(value: string): boolean {
  return !value.includes('\0')
}

/** The number of a page of a list for people; the first one if somebody wrote another text into the address. */
export function pageNumber() {
  return text('Page of the list.')
    .transform((given) => (/^[1-9]\d{0,2}$/.test(given) ? Number(given) : 1))
    .optional()
}

/** A whole number in a query, from `min` to `max`. */
export function wholeNumber(meaning: string, min: number, max: number) {
  return z
    .string()
    .transform(Number)
    .pipe(z.number(`must be a whole number from ${min} to ${max}`).int().min(min).max(max))
    .describe(meaning)
}

/** Removes fields with an empty text. */
export function withoutEmpty(fields: Record<string, unknown>): Record<string, unknown>
export function withoutEmpty(fields: unknown): unknown
export function withoutEmpty(fields: unknown): unknown {
  if (fields === null || typeof fields !== 'object' || Array.isArray(fields)) return fields
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
}
