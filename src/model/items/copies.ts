import { isFileKey, isIdKey, isTextKey, linkedIds } from './dedupe-keys.ts'
import type { ItemKey } from './query.ts'
import { typeBits } from './types.ts'

/** An item as it is compared with others. */
export interface ComparedItem extends ItemKey {
  /** Its dedupe keys. */
  guid: readonly string[]
  /** As bits. */
  types: number
  /** The id of its author at the service; null where nobody says who made it. */
  author: string | null
  service: string
  /** The service user in whose profile it is: the person themself. */
  owner: string
}

/** How far apart a cross-post may be from its original. */
export const CROSS_POST_MS = 24 * 60 * 60_000

type Made = Omit<ComparedItem, 'guid'>

/**
 * Whether an item is a copy of another one. The original is the earlier one, by time, then by id, and they are one thing if they have
 * - the same id or page, also by different people: a record in two streams, a repost that adds nothing; or
 * - the same picture or film and nothing else, and no different texts; or
 * - the same person and at most a day between them, and the later one has the same text, or links to the original and to nothing else.
 */
export function isCopyOf(item: ComparedItem, original: ComparedItem): boolean {
  const text = textIn(original.guid)
  return originalKeys(item).some((key) => original.guid.includes(key) && isCopyBy(key, item, original, text))
}

/** The dedupe keys by which an original of the item is found. */
export function originalKeys({ guid }: Pick<ComparedItem, 'guid'>): string[] {
  return [...new Set([...guid.filter((dedupeKey) => isTextKey(dedupeKey) || isIdKey(dedupeKey)), ...linkedIds(guid)])]
}

/** Those for which more than the earliest item that has them must be looked at, because more than the key decides. */
export function conditionalKeys({ guid }: Pick<ComparedItem, 'guid'>): string[] {
  return [...guid.filter((dedupeKey) => isTextKey(dedupeKey) || isFileKey(dedupeKey)), ...linkedIds(guid)]
}

/**
 * Whether an item is a copy of another one that has this dedupe key, which is one of the item's `originalKeys`, and the key of this
 * text.
 */
export function isCopyBy(dedupeKey: string, item: ComparedItem, original: Made, text: string | undefined): boolean {
  if (!isEarlier(original, item)) return false
  if (isFileKey(dedupeKey)) return !differ(textIn(item.guid), text)
  const isText = isTextKey(dedupeKey)
  if (!isText && item.guid.includes(dedupeKey)) return true
  if (item.at - original.at > CROSS_POST_MS || !isBySamePerson(item, original)) return false
  return !isText || !isAlbum(item, original)
}

function textIn(guid: readonly string[]): string | undefined {
  return guid.find(isTextKey)
}

function differ(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other
}

export function isEarlier(one: ItemKey, other: ItemKey): boolean {
  return one.at < other.at || (one.at === other.at && one.id < other.id)
}

/** One service user, or the person themself at two services. */
function isBySamePerson(one: Made, other: Made): boolean {
  if (one.author === null || other.author === null) return false
  return isSameUser(one, other) || (one.author === one.owner && other.author === other.owner)
}

function isSameUser(one: Made, other: Made): boolean {
  return one.author === other.author && one.service === other.service
}

const PICTURES = typeBits(['photos', 'videos', 'photos_feed', 'videos_feed'])

/** Two pictures with one caption, by one service user, are two pictures. */
function isAlbum(one: Made, other: Made): boolean {
  return isSameUser(one, other) && mayShowPicture(one) && mayShowPicture(other)
}

/** What the person made has no type in a feed. */
function mayShowPicture({ types }: Made): boolean {
  return types === 0 || (types & PICTURES) !== 0
}
