/** Limit: characters of a value of a feed that its entries inherit, and of an address; a longer one is left out. */
export const MAX_SHARED = 2000

/** Undefined for what is not a text, is empty, or is too long to be repeated in every entry. */
export function shared(value: unknown): string | undefined {
  const text = textOf(value)
  return text === undefined || text.length > MAX_SHARED ? undefined : text
}

export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' ? undefined : text
}

/** The web address that a value is, relative to the base; undefined for anything else. */
export function addressIn(value: unknown, base?: string): string | undefined {
  const text = shared(value)
  const url = text === undefined ? null : URL.parse(text, base)
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : undefined
}

/** A number of bytes or seconds. */
export function countIn(value: unknown): number | undefined {
  const number = Number(textOf(value))
  return Number.isSafeInteger(Math.round(number)) && number > 0 ? Math.round(number) : undefined
}

/** `3723`, `62:03` and `1:02:03` are seconds. */
export function durationIn(value: unknown): number | undefined {
  const text = textOf(value) ?? ''
  if (!/^\d{1,7}(?::\d{1,2}){0,2}(?:\.\d{1,6})?$/.test(text)) return undefined
  return countIn(text.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0))
}
