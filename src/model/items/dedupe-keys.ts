/**
 * A dedupe key is equal for copies of one thing at several services. There are two sorts: a text key counts only between
 * different services and close in time, because people write the same words again; every other key is a link or an id.
 */
const TEXT_PREFIX = 'text:'
/** How far apart equal texts may be, in both directions. */
export const SAME_TEXT_MS = 15 * 60_000
/** Limit: dedupe keys of an item, the key of its text first; further links are not compared. An index exists for each. */
export const MAX_DEDUPE_KEYS = 6
/** Limit: dedupe keys that an app may give an own item; more are answered with 400. */
export const MAX_GIVEN_KEYS = MAX_DEDUPE_KEYS - 1
/** Limit: characters of a dedupe key; a longer one of an own item is answered with 400, a longer link is hashed. */
export const MAX_DEDUPE_KEY = 200

/** Earlier releases stored hashes of texts in this form. They are not compared: they say nothing about time or service. */
const OLD_TEXT_KEY = /^(?:caption:[a-z]+|guid:[^/#@]*@[\w-]+)\/#[0-9a-f]{32}$/

export function textKey(textHash: string): string {
  return `${TEXT_PREFIX}${textHash}`
}

export function isTextKey(dedupeKey: string): boolean {
  return dedupeKey.startsWith(TEXT_PREFIX)
}

/** False for keys of texts. */
export function isLinkOrId(dedupeKey: string): boolean {
  return !isTextKey(dedupeKey) && !OLD_TEXT_KEY.test(dedupeKey)
}
