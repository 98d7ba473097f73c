import { isIdKey, isTextKey, linkedIds } from './dedupe-keys.ts'
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

/**
 * Whether an item is a copy of another one. The original is the earlier one, by time, then by id, and they are one thing if they have
 * - the same id, page, picture or film, whoever made them: a record in two streams, a repost that adds nothing; or
 * - the same person and at most a day between them, and the later one has the same text, or links to the original and to nothing else.
 */
export function isCopyOf(item: ComparedItem, original: ComparedItem): boolean {
  return originalKeys(item).some(
    (dedupeKey) => original.guid.includes(dedupeKey) && isCopyBy(dedupeKey, item, original),
  )
}

/** The dedupe keys by which an original of the item is found. */
export function originalKeys({ guid }: Pick<ComparedItem, 'guid'>): string[] {
  return [...new Set([...guid.filter((dedupeKey) => isTextKey(dedupeKey) || isIdKey(dedupeKey)), ...linkedIds(guid)])]
}

/** Whether an item is a copy of another one that has this key; the key is one of the item's `originalKeys`. */
export function isCopyBy(dedupeKey: string, item: ComparedItem, original: Omit<ComparedItem, 'guid'>): boolean {
  if (!isEarlier(original, item)) return false
  const isText = isTextKey(dedupeKey)
  if (!isText && item.guid.includes(dedupeKey)) return true
  if (item.at - original.at > CROSS_POST_MS || !isBySamePerson(item, original)) return false
  return !isText || !isAlbum(item, original)
}

export function isEarlier(one: ItemKey, other: ItemKey): boolean {
  return one.at < other.at || (one.at === other.at && one.id < other.id)
}

type Made = Omit<ComparedItem, 'guid'>

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
