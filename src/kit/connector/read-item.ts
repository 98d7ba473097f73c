import type { StreamName } from '#model/items/idr.ts'
import { globalIdsOf } from '#model/items/idr.ts'
import type { ItemMap } from '#model/items/normal.ts'
import {
  type BaseType,
  baseOf,
  categoryOf,
  FEED_TYPES,
  type ItemCategory,
  type ItemType,
  storedTypes,
} from '#model/items/types.ts'
import { sameServerId } from '../auth/same-server-id.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { allKeys, fileKeyOf } from '../read/dedupe-keys.ts'
import type { Kind, NativeId, Place } from '../read/kind.ts'
import { type Cards, readCards } from '../read/read-cards.ts'
import { type Guarded, guarded, isPresent, type ReaderFault } from '../read/read-field.ts'
import type { Connector } from './connector.ts'

/** Limit: participants of an item, the author first; further ones are left out. */
export const MAX_PARTICIPANTS = 16

/** The normalised values of a record: everything that is stored in addition to the record itself. */
export interface ItemDraft {
  nativeId: string
  idr: string
  /** The global id. */
  id: string
  /** Undefined when the record does not say. */
  at: number | undefined
  deleted: boolean
  types: ItemType[]
  category: ItemCategory | undefined
  guid: string[]
  participants: string[]
  hasAuthor: boolean
  place: Place | undefined
  /** The texts that full-text search indexes. */
  texts: string[]
  /** The card of its main type. */
  card: Cards['main']
  /** The cards of the other types that it is stored under. */
  cards: Cards['others']
  /** Fields whose reader threw: they are left out, and the record is stored. */
  faults: ReaderFault[]
}

/** Reads only the ids of a record, to find out whether it is stored. Throws when it has no usable id. */
export function itemNamer(
  connector: Pick<Connector, 'service'>,
  name: string,
  endpoint: Endpoint,
  owner: string,
): (raw: unknown) => { nativeId: string; id: string } {
  const idOf = itemIdOf(connector, name, endpoint, owner)
  return (raw) => {
    const nativeId = textOf(endpoint.kind.id(raw))
    if (nativeId === undefined) throw new RangeError('the record has no id')
    return { nativeId, id: idOf(nativeId) }
  }
}

/** The id under which a record is stored, by its native id. */
export function itemIdOf(
  connector: Pick<Connector, 'service'>,
  name: string,
  endpoint: Endpoint,
  owner: string,
): (nativeId: string) => string {
  const idsOf = globalIdsOf({ type: endpoint.kind.name, owner, service: connector.service, endpoint: name })
  return (nativeId) => idsOf(nativeId).id.slice(0, 32)
}

/** Reads the records of one endpoint for one service user. Throws only when a record has no usable id. */
export function itemReader(
  connector: Pick<Connector, 'service' | 'title'>,
  name: string,
  endpoint: Endpoint,
  owner: string,
): (raw: unknown) => ItemDraft {
  const { kind } = endpoint
  const stream: StreamName = { type: kind.name, owner, service: connector.service, endpoint: name }
  const idsOf = globalIdsOf(stream)
  return (raw) => {
    const nativeId = textOf(kind.id(raw))
    if (nativeId === undefined) throw new RangeError('the record has no id')
    const faults: ReaderFault[] = []
    const read = guarded((fault) => faults.push(fault))
    const base = read('types', () => kind.types?.(raw)) ?? endpoint.types
    const place = read('place', () => validPlace(kind.place?.(raw)))
    const map = readMap(kind, raw, read)
    const { list, hasAuthor } = read('participants', () => participantsOf(endpoint, raw, owner)) ?? {
      list: [],
      hasAuthor: false,
    }
    // A feed holds what others made, so a record of the person in it has no type.
    const isOwnInFeed = endpoint.feed && hasAuthor && list[0] === owner
    const types = isOwnInFeed ? [] : storedTypes(base, endpoint.feed)
    const listed = types.map(baseOf)
    const { main, others, texts } = readCards({ service: connector, kind, raw, base, listed, map, place }, read)
    const at = read('at', () => validTime(kind.at?.(raw), kind))
    // Texts are compared only close in time, and the time of the first sync says nothing about when they were written.
    const hasOwnTime = at !== undefined || kind.takesAnyTime === true
    const text = hasOwnTime && isPost(base) ? map.text : undefined
    // The still of a film may be the one that its service shows for every film.
    const picture = base.includes('photos') ? (map.media ?? map.image) : map.media
    const file = isOnlyPicture(base) ? fileKeyOf(picture) : undefined
    return {
      nativeId,
      ...idsOf(nativeId),
      at,
      deleted: read('deleted', () => kind.deleted?.(raw)) ?? false,
      types,
      category: categoryOf(types),
      guid: read('guid', () => allKeys(text, [...(kind.guid?.(raw) ?? []), file])) ?? [],
      participants: list,
      hasAuthor,
      place,
      texts,
      // People of a contact's card are compared with participants.
      card: withServer(kind, main, owner),
      cards: Object.fromEntries(listed.flatMap((type) => (type in others ? [[type, others[type]]] : []))),
      faults,
    }
  }
}

const POSTS: readonly BaseType[] = FEED_TYPES

/** What people publish, and may publish again at another service. Equal words in messages or activities say nothing. */
function isPost(types: readonly BaseType[]): boolean {
  return types.some((type) => POSTS.includes(type)) && !types.includes('contacts')
}

/** A post with words is more than its picture: blogs show one picture with many posts. */
function isOnlyPicture(types: readonly BaseType[]): boolean {
  return types.length > 0 && types.every((type) => type === 'photos' || type === 'videos')
}

export function readMap(kind: Kind<unknown>, raw: unknown, read: Guarded): Partial<ItemMap> {
  const map: Record<string, unknown> = {}
  for (const [field, reader] of Object.entries(kind.map)) {
    const value = read(`map.${field}`, () => (reader as (raw: unknown) => unknown)(raw))
    if (isPresent(value)) map[field] = value
  }
  return map
}

/** The id of somebody in a record, as participants have it: with the owner's server where it is valid there only. */
export function personId(
  { kind, idsOnServer }: Endpoint,
  id: NativeId | null | undefined,
  owner: string | undefined,
): string | undefined {
  const text = textOf(id)
  const isOnServer = idsOnServer === true || kind.peopleOnInstance === true
  return text === undefined || !isOnServer || owner === undefined ? text : sameServerId(owner, text)
}

export function participantsOf(
  endpoint: Endpoint,
  raw: unknown,
  owner: string | undefined,
): { list: string[]; hasAuthor: boolean } | undefined {
  const { kind, feed } = endpoint
  if (kind.participants === undefined) return undefined
  const { author, others } = kind.participants(raw)
  const known = (id: NativeId | null | undefined) => personId(endpoint, id, owner)
  // Services often omit the author in a list of the person's own records.
  const first = known(author) ?? (feed ? undefined : owner)
  const list = new Set([first, ...(others ?? []).map(known)].filter((id) => id !== undefined))
  return { list: [...list].slice(0, MAX_PARTICIPANTS), hasAuthor: first !== undefined }
}

/** With the server in its id, where ids of people are unique on one instance only. */
function withServer<Card extends { id?: string | undefined }>(
  { peopleOnInstance }: Kind<unknown>,
  card: Card,
  owner: string | undefined,
): Card {
  if (peopleOnInstance !== true || card.id === undefined || owner === undefined) return card
  return { ...card, id: sameServerId(owner, card.id) }
}

function textOf(id: NativeId | null | undefined): string | undefined {
  if (typeof id === 'number' && !Number.isSafeInteger(id)) return undefined
  return id === null || id === undefined || id === '' ? undefined : String(id)
}

/** Seconds since 1970 that are taken for milliseconds lie before this time. Real records are not as old, to the day. */
const SECONDS_END_MS = Date.UTC(1970, 2, 1)
/** Microseconds taken for milliseconds, and dates that mean “never”, lie after this time; they would always sort first. */
const LATEST_MS = Date.UTC(2100, 0, 1)

/** Times before 1970 are valid: people scan old photos. An app may give its own items any time. */
function validTime(ms: number | null | undefined, { takesAnyTime }: Kind<unknown>): number | undefined {
  if (ms === null || ms === undefined) return undefined
  if (!Number.isFinite(ms) || Math.abs(ms) > 8.64e15) throw new RangeError('not a valid time')
  if (takesAnyTime === true) return Math.round(ms)
  if (ms >= 0 && ms < SECONDS_END_MS)
    throw new RangeError('a time in the first weeks of 1970: seconds, not milliseconds?')
  if (ms >= LATEST_MS) throw new RangeError('a time after the year 2100')
  return Math.round(ms)
}

export function validPlace(place: Place | null | undefined): Place | undefined {
  if (place === null || place === undefined) return undefined
  const { lat, lng } = place
  if (!(Math.abs(lat) <= 90) || !(Math.abs(lng) <= 180)) throw new RangeError('latitude or longitude out of range')
  return { lat, lng }
}
