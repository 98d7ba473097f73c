/**
 * Dedupe keys say by what an item may be a copy of another one. Their prefix tells what they are:
 * `text:` the words that it says · `link:` a page that it links to · `of:` a record at another service that it links to ·
 * anything else an id: the item's own page (`page:`), its only picture or film (`file:`), its id at a service, or one that an app gives.
 */
const PREFIX = { text: 'text:', link: 'link:', of: 'of:', page: 'page:', file: 'file:' } as const

/** Limit: dedupe keys of an item, the key of its text first, then ids; further links are not compared. An index exists for each. */
export const MAX_DEDUPE_KEYS = 6
/** Limit: dedupe keys that an app may give an own item; more are answered with 400. */
export const MAX_GIVEN_KEYS = MAX_DEDUPE_KEYS - 1
/** Limit: characters of a dedupe key; a longer one of an own item is answered with 400, a longer link is hashed. */
export const MAX_DEDUPE_KEY = 200

/** Earlier releases stored hashes of texts in this form. They are not compared: they say nothing about time or person. */
const OLD_TEXT_KEY = /^(?:caption:[a-z]+|guid:[^/#@]*@[\w-]+)\/#[0-9a-f]{32}$/

export const textKey = (textHash: string): string => PREFIX.text + textHash
export const pageKey = (page: string): string => PREFIX.page + page
export const linkKey = (page: string): string => PREFIX.link + page
export const fileKey = (file: string): string => PREFIX.file + file
/** The key of an item that links to the record with this id. */
export const linkToId = (id: string): string => PREFIX.of + id

export const isTextKey = (dedupeKey: string): boolean => dedupeKey.startsWith(PREFIX.text)
const isLinkKey = (dedupeKey: string): boolean => dedupeKey.startsWith(PREFIX.link)
const isLinkToId = (dedupeKey: string): boolean => dedupeKey.startsWith(PREFIX.of)

export const isFileKey = (dedupeKey: string): boolean => dedupeKey.startsWith(PREFIX.file)

/** Whether two items with this key are one thing, by any author and at any time; of pictures, unless their texts differ. */
export function isIdKey(dedupeKey: string): boolean {
  return !isTextKey(dedupeKey) && !isLinkKey(dedupeKey) && !isLinkToId(dedupeKey) && !OLD_TEXT_KEY.test(dedupeKey)
}

/**
 * The ids of the one page or record that an item links to; none for an item that links to several, because a list of links is not a
 * copy of what it lists.
 */
export function linkedIds(guid: readonly string[]): string[] {
  const pages = guid.filter(isLinkKey)
  const records = guid.filter(isLinkToId)
  if (pages.length > 1 || records.length > 1) return []
  return [
    ...pages.map((dedupeKey) => pageKey(dedupeKey.slice(PREFIX.link.length))),
    ...records.map((dedupeKey) => dedupeKey.slice(PREFIX.of.length)),
  ]
}
