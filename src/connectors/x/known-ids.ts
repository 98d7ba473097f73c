import type { Checkpoint } from '#kit/endpoints/checkpoint.ts'

/** Enough to recognise the newest page of a list after some of its records are gone. */
const KEPT_IDS = 60

/**
 * For lists that are sorted by a time that no field has (when a post was liked, bookmarked) and paid by the record: keeps the ids of
 * the newest records, and the walk ends at the first page that has no others.
 */
export function knownIds<Raw>(idOf: (raw: Raw) => string): Checkpoint<Raw> {
  return {
    advance: ({ items, body }, before) => {
      const known = before === undefined ? [] : String(before).split(' ')
      const ids = items.map(idOf)
      // Only the first page has no previous one: its records are the newest.
      const isFirst = (body as { meta?: { previous_token?: unknown } }).meta?.previous_token === undefined
      const kept = [...new Set(isFirst ? [...ids, ...known] : [...known, ...ids])].slice(0, KEPT_IDS)
      return kept.length === 0 ? undefined : kept.join(' ')
    },
    query: () => ({}),
    oldestFirst: false,
    isKnown: (raw, watermark) => String(watermark).split(' ').includes(idOf(raw)),
  }
}
