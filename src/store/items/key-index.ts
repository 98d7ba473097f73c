import { MAX_DEDUPE_KEYS } from '#model/items/dedupe-keys.ts'

/** The places in an item's list of dedupe keys, each of which has an index. */
export const PLACES = Array.from({ length: MAX_DEDUPE_KEYS }, (_, i) => i + 1)

/** What the indexes contain of a key. */
export function hashOf(dedupeKey: string, profileId: string): string {
  return `hashtextextended(${dedupeKey}, hashtextextended(${profileId}, 0))`
}

/**
 * In a subquery, so that the planner does not know the value: it would estimate by the length of a list, always find a plan for the
 * given one cheaper than one for all, and plan the statement at each execution, which takes longer than executing it.
 */
export function unestimated(value: string): string {
  return `(select ${value})`
}
