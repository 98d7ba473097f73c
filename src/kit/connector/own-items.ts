import type { BaseType } from '#model/items/types.ts'
import { OWN_TYPES, singularOf } from '#model/items/types.ts'
import { type Endpoint, endpoint } from '../endpoints/endpoint.ts'
import { linkKeys } from '../read/dedupe-keys.ts'
import { kind, linksIn, type NativeId } from '../read/kind.ts'
import type { Registry } from './registry.ts'

/** An item that an app stores itself. It may have any fields; those that `own` below reads are normalised. */
export interface OwnItem {
  id: string | number
  at?: number | undefined
  type?: string | undefined
  [field: string]: unknown
}

/** The service name and title of an app's own items. */
export const OWN_SERVICE = { service: 'self', title: 'Own items' }

/** The types that an own item may name. Feeds are not among them: they contain what others made. */
export const OWN_TYPE_NAMES: readonly BaseType[] = [...OWN_TYPES, 'contacts']

/** Returns the type that an own item names, in the plural or the singular; undefined when it is unknown. */
export function ownType(name: string | undefined): BaseType | undefined {
  return OWN_TYPE_NAMES.find((type) => type === name || singularOf(type) === name)
}

const text = (field: string) => (item: OwnItem) => {
  const value = item[field]
  return typeof value === 'string' ? value : undefined
}
const number = (field: string) => (item: OwnItem) => {
  const value = item[field]
  return typeof value === 'number' ? value : undefined
}
const firstOf =
  (...readers: ((item: OwnItem) => string | undefined)[]) =>
  (item: OwnItem) =>
    readers.map((read) => read(item)).find((value) => value !== undefined && value !== '')
const ids = (value: unknown): NativeId[] =>
  [value].flat().filter((id): id is NativeId => typeof id === 'string' || typeof id === 'number')

/** Reads the documented fields of own items; all others are stored and returned unchanged. */
const own = kind<OwnItem>({
  name: 'data',
  version: 1,
  id: ({ id }) => id,
  at: number('at'),
  takesAnyTime: true,
  types: ({ type }) => {
    const known = ownType(type)
    return known === undefined ? [] : [known]
  },
  guid: (item) => {
    const [url, links] = [text('url')(item), linksIn(text('text')(item))]
    // The address of a piece of news is what it links to.
    const keys = ownType(item.type) === 'news' ? linkKeys([], [url, ...links]) : linkKeys([url], links)
    return [...ids(item['guid']).map(String), ...keys]
  },
  participants: ({ author, participants }) => ({ author: ids(author)[0], others: ids(participants) }),
  place: (item) => {
    const [lat, lng] = [number('lat')(item), number('lng')(item)]
    return lat === undefined || lng === undefined ? undefined : { lat, lng }
  },
  map: {
    name: firstOf(text('name'), text('title')),
    title: text('title'),
    text: text('text'),
    nickname: firstOf(text('handle'), text('nickname')),
    email: text('email'),
    phone: text('phone'),
    url: text('url'),
    urls: (item) => [...new Set([text('url')(item) ?? '', ...linksIn(text('text')(item))])].filter((url) => url !== ''),
    photo: text('photo'),
    image: text('image'),
    media: text('media'),
    place: text('place'),
    lang: text('lang'),
    starts: number('starts'),
    ends: number('ends'),
    sport: text('sport'),
    seconds: number('seconds'),
    meters: number('meters'),
    calories: number('calories'),
    heart_rate: number('heart_rate'),
    metric: text('metric'),
    value: number('value'),
    unit: text('unit'),
    artist: text('artist'),
    album: text('album'),
    path: text('path'),
    mime: text('mime'),
    bytes: number('bytes'),
    subject: text('subject'),
    from: text('from'),
  },
  card: { description: text('description') },
  // A contact is searched and joined with others by its name, whatever title it has.
  cards: { contacts: { title: firstOf(text('name'), text('title')) } },
})

/** The endpoint of all own items. It is never synced. */
export const ownEndpoint: Endpoint = endpoint<unknown, OwnItem>({
  path: '',
  items: () => [],
  kind: own,
  types: [],
  every: '1d',
  class: 'core',
})

/** Finds the endpoint that reads records of this name; undefined when no loaded connector has it. */
export function endpointOf(registry: Registry, service: string, name: string): Endpoint | undefined {
  if (service === OWN_SERVICE.service) return ownEndpoint
  const endpoints = registry.find(service)?.endpoints ?? {}
  return Object.hasOwn(endpoints, name) ? endpoints[name] : undefined
}
