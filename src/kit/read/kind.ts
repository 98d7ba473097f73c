import type { Card, ItemMap } from '#model/items/normal.ts'
import type { BaseType } from '#model/items/types.ts'
import { trimEndOf } from '#platform/formats/trim-end.ts'
import { entityText } from './html-entities.ts'

/** The service's id of a record or user, stored as text. Integers beyond 2^53 arrive as bigint. */
export type NativeId = string | number | bigint

/** Where something happened, in degrees. */
export interface Place {
  lat: number
  lng: number
}

/** The service users who took part in an item. */
export interface Participants {
  /** Who made it. */
  author?: NativeId | undefined
  /** Commenters, likers, people mentioned or tagged, in that order. Duplicates and undefined entries are removed. */
  others?: (NativeId | undefined)[] | undefined
}

/** A reader of one field. The field is left out when it returns null, undefined or an empty text. */
type Read<Raw, Value> = (raw: Raw) => Value | null | undefined

type CardReaders<Raw> = { [Key in keyof Card]?: Read<Raw, Card[Key]> }

/**
 * How to read one kind of record. Readers are pure functions of the record as the service sent it. When one throws, its field is
 * left out and the fault is recorded (`tributary faults`); the record is stored unchanged.
 */
export interface Kind<Raw> {
  /** Increase it when a reader returns something else than before, up to 255: stored records are then read again. */
  version?: number
  /** The type in the IDR, singular and lower case: `photo`, `tweet`, `checkin`. */
  name: string
  /** Returns the record's id, unique within its endpoint. A record without an id goes to the quarantine. */
  id: (raw: Raw) => NativeId
  /**
   * When it happened, in epoch milliseconds; without it, the time of the first sync that returned the record. January and February
   * 1970 (seconds taken for milliseconds) and 2100 and later are faults.
   */
  at?: Read<Raw, number>
  /** `at` may be any time, because the app that stores the record chooses it. */
  takesAnyTime?: boolean
  /** The record's types, where they differ from record to record. Default: the types of the endpoint. */
  types?: (raw: Raw) => BaseType[]
  /** True for a record that reports a deletion. */
  deleted?: (raw: Raw) => boolean
  /**
   * Dedupe keys by which copies are found: ids of the record at its service (`guid:service/#id`; of a repost that adds nothing, the
   * original's), its own page and what it links to (`linkKeys`). The keys of its text and of its picture are added.
   */
  guid?: Read<Raw, (string | undefined)[]>
  participants?: (raw: Raw) => Participants
  /** Ids of people are unique on one instance only: what the owner's id has after its last `@` is added to them. */
  peopleOnInstance?: boolean
  place?: Read<Raw, Place>
  /** Readers of the normalised values that `map=true` adds. */
  map: { [Key in keyof ItemMap]?: Read<Raw, ItemMap[Key]> }
  /** Readers of fields of every card that cannot be derived from `map`, such as `provider_url`. */
  card?: CardReaders<Raw>
  /**
   * Readers of the cards of single types, where a record may have several: the picture of a photo, the title and address of a link.
   * They take precedence over `card`.
   */
  cards?: { [Type in BaseType]?: CardReaders<Raw> }
}

/**
 * Defines how one kind of record is read.
 *
 *     const photo = kind<Photo>({
 *       name: 'photo',
 *       id: ({ id }) => id,
 *       at: ({ created_at }) => timeOf(created_at),
 *       map: { text: ({ caption }) => caption, photo: ({ url }) => url },
 *     })
 */
export function kind<Raw>(definition: Kind<Raw>): Kind<Raw> {
  return definition
}

/** Parses an ISO 8601 or RFC 2822 time into epoch milliseconds; undefined when the text is not a valid time. */
export function timeOf(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined) return undefined
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? undefined : ms
}

/** Limit: characters of a text that are searched for links, and of HTML that is converted to text; the rest is ignored. */
const MAX_TEXT = 256 * 1024
/** Limit: links extracted from one text; further ones are left out. */
const MAX_LINKS = 200
/** Limit: characters of a link in a text; a longer one is left out. */
const MAX_LINK = 2000

/** Returns the web addresses in a text, without punctuation that follows them. */
export function linksIn(text: string | null | undefined): string[] {
  const links: string[] = []
  for (const [found] of (text ?? '').slice(0, MAX_TEXT).matchAll(/https?:\/\/[^\s<>"'）)\]]+/g)) {
    const link = trimEndOf(found, '.,;:!?')
    if (link.length <= MAX_LINK) links.push(link)
    if (links.length === MAX_LINKS) break
  }
  return links
}

/** Converts HTML to plain text for search and for one-line display; it does not make HTML safe to embed. */
export function plainText(html: string | null | undefined): string | undefined {
  if (html === null || html === undefined) return undefined
  // A tag contains no `<`: otherwise each of many unclosed tags would be scanned to the end of the text (quadratic time).
  const text = withoutScripts(html.slice(0, MAX_TEXT))
    .replaceAll(/<(br|\/p|\/div|\/li|\/h\d)\b[^<>]*>/gi, '\n')
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll(/&(#?\w{1,31});/g, (whole, name: string) => entityText(name) ?? whole)
  return text
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

/** Removes scripts and styles. An unclosed one stays, as text. */
function withoutScripts(html: string): string {
  let result = ''
  let at = 0
  let open: RegExpExecArray | undefined
  for (const tag of html.matchAll(/<(script|style)\b|<\/(script|style)>/gi)) {
    if (open === undefined) {
      if (tag[1] !== undefined) open = tag
    } else if (tag[2]?.toLowerCase() === open[1]?.toLowerCase()) {
      result += `${html.slice(at, open.index)} `
      at = tag.index + tag[0].length
      open = undefined
    }
  }
  return result + html.slice(at)
}
