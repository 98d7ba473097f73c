import type { StreamName } from '#model/idr.ts'
import { globalIdsOf } from '#model/idr.ts'
import type { Card, ItemMap } from '#model/normal.ts'
import { type BaseType, categoryOf, type ItemCategory, type ItemType, storedTypes } from '#model/types.ts'
import { redactText } from '#platform/telemetry/redact.ts'
import type { Connector } from './connector.ts'
import type { Endpoint } from './endpoint.ts'
import type { Kind, NativeId, Place } from './kind.ts'

/** Limit: participants of an item, the author first; further ones are left out. */
export const MAX_PARTICIPANTS = 16

/** What a record says, in our words: all that is stored beside the record itself. */
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
  /** The texts that a search looks through. */
  texts: string[]
  card: Partial<Card>
  /** Fields whose reader failed: these are lost, never the record. */
  faults: ReaderFault[]
}

/** What a reader threw, for whoever mends it. */
export interface ReaderFault {
  field: string
  message: string
}

/** Only what a record is called: enough to know whether it is stored already. Throws when it has no usable id. */
export function itemNamer(
  connector: Pick<Connector, 'service'>,
  name: string,
  endpoint: Endpoint,
  owner: string,
): (raw: unknown) => { nativeId: string; id: string } {
  const idsOf = globalIdsOf({ type: endpoint.kind.name, owner, service: connector.service, endpoint: name })
  return (raw) => {
    const nativeId = textOf(endpoint.kind.id(raw))
    if (nativeId === undefined) throw new RangeError('the record has no id')
    return { nativeId, id: idsOf(nativeId).id.slice(0, 32) }
  }
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
    const types = storedTypes(base, endpoint.feed)
    const place = read('place', () => validPlace(kind.place?.(raw)))
    const map = readMap(kind, raw, read)
    const { list, hasAuthor } = read('participants', () => participantsOf(endpoint, raw, owner)) ?? {
      list: [],
      hasAuthor: false,
    }
    const card = readCard(connector, kind, raw, read, { base, map, place })
    return {
      nativeId,
      ...idsOf(nativeId),
      at: read('at', () => validTime(kind.at?.(raw), kind)),
      deleted: read('deleted', () => kind.deleted?.(raw)) ?? false,
      types,
      category: categoryOf(types),
      guid: (read('guid', () => kind.guid?.(raw)) ?? []).filter(
        (dedupeKey): dedupeKey is string => dedupeKey !== undefined && dedupeKey !== '',
      ),
      participants: list,
      hasAuthor,
      place,
      texts: searchTexts(base, map, card),
      card,
      faults,
    }
  }
}

/**
 * What `map=true` adds, from the record as it is stored. `owner` is the service user whose endpoint it is; `onFault` is told of
 * readers that fail.
 */
export function mapOf(
  endpoint: Endpoint,
  raw: unknown,
  owner?: string,
  onFault: (fault: ReaderFault) => void = () => {},
): Record<string, unknown> {
  const { kind } = endpoint
  const read = guarded(onFault)
  const map: Record<string, unknown> = readMap(kind, raw, read)
  const place = read('place', () => validPlace(kind.place?.(raw)))
  const people = read('participants', () => participantsOf(endpoint, raw, owner))
  if (place !== undefined) map['ll'] = [place.lat, place.lng]
  if (people !== undefined && people.list.length > 0) {
    map['participants'] = Object.fromEntries(
      people.list.map((id, i) => [id, people.hasAuthor && i === 0 ? { author: true } : {}]),
    )
  }
  return map
}

type Guarded = <Value>(field: string, reader: () => Value) => Value | undefined

function guarded(onFault: (fault: ReaderFault) => void): Guarded {
  return (field, reader) => {
    try {
      return reader()
    } catch (error) {
      onFault({ field, message: messageOf(error) })
      return undefined
    }
  }
}

/** Limit: characters of what a connector's reader threw; the rest is cut off, because it may repeat the record. */
const MAX_FAULT_MESSAGE = 200

function messageOf(error: unknown): string {
  const text =
    error instanceof Error ? `${error.name}: ${error.message}` : typeof error === 'string' ? error : 'no error'
  // Cut before it is looked through for secrets, because it can be as long as the record.
  return redactText(text.slice(0, MAX_FAULT_MESSAGE)).replaceAll('\0', '\ufffd').toWellFormed()
}

function readMap(kind: Kind<unknown>, raw: unknown, read: Guarded): Partial<ItemMap> {
  const map: Record<string, unknown> = {}
  for (const [field, reader] of Object.entries(kind.map)) {
    const value = read(`map.${field}`, () => (reader as (raw: unknown) => unknown)(raw))
    if (isPresent(value)) map[field] = value
  }
  return map
}

const CARD_TYPE: Partial<Record<BaseType, string>> = {
  photos: 'photo',
  videos: 'video',
  news: 'link',
  checkins: 'checkin',
  contacts: 'contact',
  statuses: 'text',
  events: 'event',
  messages: 'message',
  files: 'file',
  tracks: 'track',
  activities: 'activity',
  measures: 'measure',
}
// The more telling type names the card: a status with a photo is a photo.
const TELLING: BaseType[] = ['contacts', 'checkins', 'photos', 'videos', 'news']

function readCard(
  connector: Pick<Connector, 'title'>,
  kind: Kind<unknown>,
  raw: unknown,
  read: Guarded,
  { base, map, place }: { base: readonly BaseType[]; map: Partial<ItemMap>; place: Place | undefined },
): Partial<Card> {
  const main = TELLING.find((type) => base.includes(type)) ?? base[0]
  const card: Record<string, unknown> = {
    type: main && CARD_TYPE[main],
    title: map.title ?? map.name ?? map.subject,
    url: map.url,
    text: base.includes('statuses') || base.includes('messages') ? map.text : undefined,
    thumbnail_url: map.photo ?? map.image,
    provider_name: connector.title,
    author_name: map.author?.name,
    lat: place?.lat,
    lng: place?.lng,
  }
  if (base.includes('contacts')) Object.assign(card, { handle: map.nickname, email: map.email, phone: map.phone })
  for (const [field, reader] of Object.entries(kind.card ?? {})) {
    card[field] = read(`card.${field}`, () => (reader as (raw: unknown) => unknown)(raw)) ?? card[field]
  }
  const shown: Record<string, unknown> = {}
  for (const field of Object.keys(card)) if (isPresent(card[field])) shown[field] = card[field]
  return shown
}

/** Only what the specification names for each type. */
function searchTexts(base: readonly BaseType[], map: Partial<ItemMap>, card: Partial<Card>): string[] {
  const texts = new Set<string | undefined>()
  for (const type of base.length > 0 ? base : [undefined]) {
    if (type === 'contacts')
      for (const text of [map.name ?? card.title, map.nickname ?? card.handle, map.email ?? card.email]) texts.add(text)
    else if (type === 'statuses') texts.add(map.text)
    else if (type === 'news') for (const text of [card.title, card.url ?? map.urls?.[0]]) texts.add(text)
    else if (type === 'photos') for (const text of [card.title, card.description]) texts.add(text)
    else for (const text of [card.title, map.text]) texts.add(text)
  }
  return [...texts].filter((text) => typeof text === 'string').filter((text) => text !== '')
}

function participantsOf(
  { kind, feed }: Endpoint,
  raw: unknown,
  owner: string | undefined,
): { list: string[]; hasAuthor: boolean } | undefined {
  if (kind.participants === undefined) return undefined
  const { author, others } = kind.participants(raw)
  // Services leave out who made what a person made: it is clear from where it stands.
  const first = textOf(author) ?? (feed ? undefined : owner)
  const list = new Set([first, ...(others ?? [])].map(textOf).filter((id) => id !== undefined))
  return { list: [...list].slice(0, MAX_PARTICIPANTS), hasAuthor: first !== undefined }
}

function textOf(id: NativeId | null | undefined): string | undefined {
  if (typeof id === 'number' && !Number.isSafeInteger(id)) return undefined
  return id === null || id === undefined || id === '' ? undefined : String(id)
}

/** Seconds since 1970, taken for milliseconds, all lie before this: in the first weeks of 1970, where services put nothing else. */
const SECONDS_END_MS = Date.UTC(1970, 2, 1)
/** Microseconds taken for milliseconds, and dates that mean “never”, lie after this; sorted by time they would stand first for good. */
const LATEST_MS = Date.UTC(2100, 0, 1)

/** Times before 1970 are fine: people scan old photos. What an app says of its own items is taken at its word. */
function validTime(ms: number | null | undefined, { takesAnyTime }: Kind<unknown>): number | undefined {
  if (ms === null || ms === undefined) return undefined
  if (!Number.isFinite(ms) || Math.abs(ms) > 8.64e15) throw new RangeError('not a time')
  if (takesAnyTime === true) return Math.round(ms)
  if (ms >= 0 && ms < SECONDS_END_MS)
    throw new RangeError('a time in the first weeks of 1970: seconds, not milliseconds?')
  if (ms >= LATEST_MS) throw new RangeError('a time after the year 2100')
  return Math.round(ms)
}

function validPlace(place: Place | null | undefined): Place | undefined {
  if (place === null || place === undefined) return undefined
  const { lat, lng } = place
  if (!(Math.abs(lat) <= 90) || !(Math.abs(lng) <= 180)) throw new RangeError('no place on earth')
  return { lat, lng }
}

function isPresent(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return value !== undefined && value !== null && value !== ''
}
