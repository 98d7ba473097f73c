import { decodePercent } from '#platform/decode-percent.ts'

/** What nearly every part looks like: nothing in it to encode. */
const PLAIN = /^[\w.~-]+$/

/** One part of a name or IDR, without any character that separates parts. */
export function encodePart(shard: string): string {
  // A lone surrogate has no UTF-8 form; it becomes U+FFFD, as it does in the database, instead of an exception.
  return PLAIN.test(shard) ? shard : encodeURIComponent(shard.toWellFormed())
}

/** Undefined when the part is not properly encoded. */
export function decodePart(shard: string): string | undefined {
  return decodePercent(shard)?.toWellFormed()
}
