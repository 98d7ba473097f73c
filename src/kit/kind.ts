import type { Card, ItemMap } from '#model/normal.ts'
import type { BaseType } from '#model/types.ts'

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
  /** When it happened, in epoch milliseconds. Without it: when we first saw it. */
  at?: Read<Raw, number>
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

/** The addresses in a text. */
export function linksIn(text: string | null | undefined): string[] {
  return [...(text ?? '').matchAll(/https?:\/\/[^\s<>"'）)\]]+/g)].map(([link]) => link.replace(/[.,;:!?]+$/, ''))
}

/** HTML as plain text, good enough to search and to show in one line. */
export function plainText(html: string | null | undefined): string | undefined {
  if (html === null || html === undefined) return undefined
  const text = html
    .replaceAll(/<(script|style)\b[\s\S]*?<\/\1>/gi, ' ')
    .replaceAll(/<(br|\/p|\/div|\/li|\/h\d)\b[^>]*>/gi, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(#\d+|#x[\da-f]+|\w+);/gi, (whole, name: string) => entity(name) ?? whole)
  return text
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  hellip: '…',
  mdash: '—',
  ndash: '–',
}

function entity(name: string): string | undefined {
  if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()]
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10)
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined
}
