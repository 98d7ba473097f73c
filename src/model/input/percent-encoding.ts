import { decodePercent } from '#platform/formats/decode-percent.ts'

/** Nearly every part needs no encoding; testing first is faster. */
const PLAIN = /^[\w.~-]+$/

/** Encodes one part of a name or IDR, including every character that separates parts. */
export function encodePart(part: string): string {
  // A lone surrogate has no UTF-8 form; it becomes U+FFFD, as it does in the database, instead of an exception.
  return PLAIN.test(part) ? part : encodeURIComponent(part.toWellFormed())
}

/** Undefined when the part is not properly encoded. */
export function decodePart(part: string): string | undefined {
  return decodePercent(part)?.toWellFormed()
}
