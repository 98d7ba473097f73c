import type { Card, ItemMap } from '#model/normal.ts'
import type { BaseType } from '#model/types.ts'
import { trimEndOf } from '#platform/trim-end.ts'
import { entityText } from './html-entities.ts'

/** Numbers beyond 2^53 arrive as bigint; all of them become text. */
export type NativeId = string | number | bigint

export interface Place {
  lat: number
  lng: number
}

export interface Participants {
  /** Who made it. */
  author?: NativeId | undefined
  /** Commenters, likers, people mentioned or tagged, in that order. Doubles and gaps are taken care of. */
  others?: (NativeId | undefined)[] | undefined
}

/** A value, or nothing: readers may give null, undefined or an empty text, and the field is left out. */
type Read<Raw, Value> = (raw: Raw) => Value | null | undefined

/**
 * How to read one kind of record. Readers are pure; one that throws loses that one field and is counted,
 * and the record itself is kept as it came.
 */
export interface Kind<Raw> {
  /** Raised when readers give something else than before: records that were stored under another one are read anew when they come by. */
  version?: number
  /** The type in the IDR, singular and lower case: `photo`, `tweet`, `checkin`. */
  name: string
  id: (raw: Raw) => NativeId
  /** When it happened, in epoch milliseconds. Without it: when we first saw it. Before March 1970 (but not before 1970) or after 2100 is a fault. */
  at?: Read<Raw, number>
  /** Every time that a date can name is taken, because whoever wrote the record chose it. */
  takesAnyTime?: boolean
  /** What it is, when that depends on the record. Without it: the endpoint's types. */
  types?: (raw: Raw) => BaseType[]
  /** True for a record that only says that something is gone. */
  deleted?: (raw: Raw) => boolean
  /** Marks that are equal for cross-posts of one thing. */
  guid?: Read<Raw, (string | undefined)[]>
  participants?: (raw: Raw) => Participants
  place?: Read<Raw, Place>
  map: { [Key in keyof ItemMap]?: Read<Raw, ItemMap[Key]> }
  /** What the card has beyond what the map says: titles, descriptions, sizes. */
  card?: { [Key in keyof Card]?: Read<Raw, Card[Key]> }
}

export function kind<Raw>(definition: Kind<Raw>): Kind<Raw> {
  return definition
}

/** ISO 8601 and RFC 2822 texts as epoch milliseconds; undefined when it is no time. */
export function timeOf(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined) return undefined
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? undefined : ms
}

/** Limit: characters of a text in which links are looked for, and of HTML that is read as text; the rest is not looked at. */
const MAX_TEXT = 256 * 1024
/** Limit: links taken out of one text; further ones are left out. */
const MAX_LINKS = 200
/** Limit: characters of a link in a text; a longer one is left out. */
const MAX_LINK = 2000

/** The addresses in a text. */
export function linksIn(text: string | null | undefined): string[] {
  const links: string[] = []
  for (const [found] of (text ?? '').slice(0, MAX_TEXT).matchAll(/https?:\/\/[^\s<>"'）)\]]+/g)) {
    const link = trimEndOf(found, '.,;:!?')
    if (link.length <= MAX_LINK) links.push(link)
    if (links.length === MAX_LINKS) break
  }
  return links
}

/** HTML as plain text, good enough to search and to show in one line. */
export function plainText(html: string | null | undefined): string | undefined {
  if (html === null || html === undefined) return undefined
  // No `<` inside a tag: otherwise each of many would be searched to the end for its `>`.
  const text = withoutScripts(html.slice(0, MAX_TEXT))
    .replaceAll(/<(br|\/p|\/div|\/li|\/h\d)\b[^<>]*>/gi, '\n')
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll(/&(#?\w{1,31});/g, (whole, name: string) => entityText(name) ?? whole)
  return text
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

/** Without scripts and styles. One that is not closed stays, as text. */
function withoutScripts(html: string): string {
  let kept = ''
  let at = 0
  let open: RegExpExecArray | undefined
  for (const tag of html.matchAll(/<(script|style)\b|<\/(script|style)>/gi)) {
    if (open === undefined) {
      if (tag[1] !== undefined) open = tag
    } else if (tag[2]?.toLowerCase() === open[1]?.toLowerCase()) {
      kept += `${html.slice(at, open.index)} `
      at = tag.index + tag[0].length
      open = undefined
    }
  }
  return kept + html.slice(at)
}
