import type { Card, ItemMap } from '#model/items/normal.ts'
import { asHandle } from '#model/items/search-words.ts'
import type { BaseType } from '#model/items/types.ts'
import type { Kind, Place } from './kind.ts'
import { type Guarded, isPresent } from './read-field.ts'

/** The cards of an item: one for each of its types. */
export interface Cards {
  /** The card of its main type. */
  main: Partial<Card>
  /** The cards of its other types. */
  others: Partial<Record<BaseType, Partial<Card>>>
  /** The texts that full-text search indexes: those of the types under which the item is listed. */
  texts: string[]
}

interface Source {
  service: { title: string }
  kind: Kind<unknown>
  raw: unknown
  /** The types of the record, and those under which the item is listed: feeds lack some, and list nothing of the person's own. */
  base: readonly BaseType[]
  listed: readonly BaseType[]
  map: Partial<ItemMap>
  place: Place | undefined
}

/** The `type` of each type's card. */
export const CARD_TYPES: Record<BaseType, string> = {
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
// The main type, by precedence: a status with a photo is a photo.
const PRECEDENCE: BaseType[] = ['contacts', 'checkins', 'photos', 'videos', 'news']

export function readCards(source: Source, read: Guarded): Cards {
  const { base, listed, map } = source
  const main = PRECEDENCE.find((type) => base.includes(type)) ?? base[0]
  const hasText = base.includes('statuses') || base.includes('messages')
  const shared = readFields('card', source.kind.card, source.raw, read)
  const mainCard = readCard(source, main, shared, read)
  const texts = new Set(listed.length === 0 ? textsWithoutType(main, map, mainCard) : [])
  const others: Cards['others'] = {}
  for (const type of base) {
    const card = type === main ? mainCard : readCard(source, type, shared, read)
    if (type !== main) others[type] = card
    if (listed.includes(type)) for (const text of searchTexts(type, map, card)) texts.add(text)
  }
  // The text of a status is in the main card and its own; copies in further cards would only cost space.
  if (hasText && map.text !== undefined && map.text !== '') mainCard.text ??= map.text
  return {
    main: mainCard,
    others,
    // A reader may return a value of the record that is not a text.
    texts: [...texts].filter((text) => typeof text === 'string').filter((text) => text !== ''),
  }
}

function readCard(source: Source, type: BaseType | undefined, shared: Fields, read: Guarded): Partial<Card> {
  const { service, kind, raw, map, place } = source
  const card: Fields = {
    type: type && CARD_TYPES[type],
    title: map.title ?? map.name ?? map.subject,
    url: map.url,
    thumbnail_url: map.photo ?? map.image,
    provider_name: service.title,
    author_name: map.author?.name,
    lat: place?.lat,
    lng: place?.lng,
    ...(type && DEFAULTS[type]?.(map)),
    ...shared,
    ...(type && readFields(`cards.${type}`, kind.cards?.[type], raw, read)),
  }
  return Object.fromEntries(Object.entries(card).filter(([, value]) => isPresent(value)))
}

type Fields = Partial<Record<keyof Card, unknown>>

/** The fields that are present. */
function readFields(prefix: string, readers: object | undefined, raw: unknown, read: Guarded): Fields {
  const fields: Record<string, unknown> = {}
  for (const [field, reader] of Object.entries(readers ?? {})) {
    const value = read(`${prefix}.${field}`, () => (reader as (raw: unknown) => unknown)(raw))
    if (isPresent(value)) fields[field] = value
  }
  return fields
}

/** What differs from the fields that all cards have. */
const DEFAULTS: Partial<Record<BaseType, (map: Partial<ItemMap>) => Fields>> = {
  photos: (map) => ({ url: map.image ?? map.media ?? map.url }),
  videos: (map) => ({ url: map.url ?? map.media }),
  news: (map) => ({ url: map.urls?.[0] ?? map.url }),
  checkins: (map) => ({ title: map.place ?? map.title ?? map.name }),
  contacts: (map) => ({ handle: map.nickname, email: map.email, phone: map.phone }),
  statuses: (map) => ({ text: map.text }),
  messages: (map) => ({ text: map.text }),
  tracks: (map) => ({ description: [map.artist, map.album].filter(isPresent).join(', ') }),
}

/** The fields that the specification makes searchable, by type. */
function searchTexts(type: BaseType, map: Partial<ItemMap>, card: Partial<Card>): (string | undefined)[] {
  if (type === 'contacts')
    return [map.name ?? card.title, asHandle(map.nickname ?? card.handle), map.email ?? card.email]
  if (type === 'statuses') return [map.text]
  if (type === 'news') return [card.title, card.url]
  if (type === 'photos') return [card.title, card.description]
  return [card.title, map.text]
}

/** What no type lists is searched by what its card shows. */
function textsWithoutType(
  main: BaseType | undefined,
  map: Partial<ItemMap>,
  card: Partial<Card>,
): (string | undefined)[] {
  const shown = main === 'photos' ? card.description : main === 'news' ? card.url : undefined
  return [card.title, map.text, shown]
}
