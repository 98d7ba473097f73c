import { globalId } from '#model/items/idr.ts'
import type { BaseType } from '#model/items/types.ts'
import type { Thing } from './thing.ts'

/** A thing where it was stored: all that the naive reader knows. */
export interface Stored {
  service: string
  owner: string
  endpoint: string
  thing: Thing
}

/** A query as plain data; the test writes it as parameters. */
export interface Query {
  category: { type: string } | { service: string; endpoint: string }
  limit: number | undefined
  since: number | undefined
  until: number | undefined
  before: { at: number; id: string } | undefined
  sort: 'asc' | 'desc' | undefined
  /** Words and phrases that must be present, and words that must not; the last word may be a prefix. */
  required: readonly (readonly string[])[]
  excluded: readonly string[]
  beginning: string | undefined
  people: readonly string[]
  near: { lat: number; lng: number; km: number } | undefined
  services: readonly string[] | undefined
  dedup: boolean
  /** A page, without scheme. */
  link: string | undefined
}

interface Seen {
  id: string
  at: number
  types: string[]
  people: string[]
  author: string | undefined
  fields: string[][]
  stored: Stored
}

const FEEDS = ['photos', 'videos', 'statuses', 'news', 'checkins']
/** Of several types, the first one of these has the card. */
const CARDS: BaseType[] = ['contacts', 'checkins', 'photos', 'videos', 'news']
const OWN = [...FEEDS, 'events', 'messages', 'files', 'tracks', 'activities', 'measures']

/** Evaluates a query by a scan over everything, after the specification; slow, short, and without an index. */
export function evaluate(all: readonly Stored[], query: Query, nowMs: number): string[] {
  const sort = query.sort ?? 'desc'
  const seen = all.map(see).filter((item) => isWanted(item, query, nowMs))
  seen.sort((a, b) => compare(a, b))
  const stored = query.dedup ? seen.filter((item, i) => !seen.slice(0, i).some((other) => isCopy(item, other))) : seen
  if (sort === 'desc') stored.reverse()
  const { before } = query
  const rest =
    before === undefined
      ? stored
      : stored.filter((item) => (sort === 'asc' ? compare(item, before) > 0 : compare(item, before) < 0))
  return rest.slice(0, query.limit ?? 20).map(({ id }) => id)
}

/** Of each copy that a query finds, the earliest item that it finds and that the copy is one of. */
export function originalsOf(all: readonly Stored[], query: Query, nowMs: number): Map<string, string> {
  const seen = all.map(see).filter((item) => isWanted(item, query, nowMs))
  seen.sort((a, b) => compare(a, b))
  const found = seen.flatMap((item, i) => {
    const original = seen.slice(0, i).find((other) => isCopy(item, other))
    return original === undefined ? [] : [[item.id, original.id] as const]
  })
  return new Map(found)
}

function see(stored: Stored): Seen {
  const { thing, owner, service, endpoint } = stored
  const feed = endpoint === 'feed'
  const author = thing.author ?? (feed ? undefined : owner)
  // A feed has nothing that the person made.
  const own = feed && author === owner ? [] : (thing.types ?? [])
  const types = feed ? own.filter((type) => FEEDS.includes(type)) : own
  const people = [...new Set([...(author === undefined ? [] : [author]), ...(thing.others ?? [])])].slice(0, 16)
  return {
    id: globalId({ type: 'thing', owner, service, endpoint, item: thing.id }),
    at: thing.at!,
    types: feed ? types.map((type) => `${type}_feed`) : types,
    author,
    people,
    fields: fieldsOf(thing, types).map(wordsIn),
    stored,
  }
}

function isWanted(item: Seen, query: Query, nowMs: number): boolean {
  const { thing, service, owner, endpoint } = item.stored
  const { category, services } = query
  if ('type' in category ? !isOf(item, category.type) : category.service !== service || category.endpoint !== endpoint)
    return false
  if (services !== undefined && !services.some((name) => name === service || name === `${owner}@${service}`))
    return false
  if (item.at < (query.since ?? 0) || item.at > (query.until ?? nowMs)) return false
  if (!query.people.every((token) => takesPart(item, token))) return false
  if (query.near !== undefined && !isNear(thing, query.near)) return false
  if (
    query.link !== undefined &&
    ![`page:${query.link}`, `link:${query.link}`].some((key) => keysOf(thing).includes(key))
  )
    return false
  const { required, excluded, beginning } = query
  const has = (phrase: readonly string[]) =>
    item.fields.some((words) => words.some((_, i) => phrase.every((word, k) => words[i + k] === word)))
  if (!required.every(has) || excluded.some((word) => has([word]))) return false
  return beginning === undefined || item.fields.flat().some((word) => word.startsWith(beginning))
}

function isOf({ types }: Seen, name: string): boolean {
  if (name === 'all') return types.some((type) => OWN.includes(type))
  if (name === 'all_feed') return types.some((type) => type.endsWith('_feed'))
  return types.includes(name)
}

function takesPart({ people, author, stored }: Seen, token: string): boolean {
  if (token.startsWith('>')) return people.length >= Number(token.slice(1))
  const id = token.replace('^', '').replace(/^self$/, stored.owner)
  return token.startsWith('^') ? author === id : people.includes(id)
}

/** By angles between points in space: a different formula from the one under test. */
function isNear({ lat, lng }: Thing, near: { lat: number; lng: number; km: number }): boolean {
  if (lat === undefined || lng === undefined) return false
  return distanceKm({ lat, lng }, near) <= near.km
}

export function distanceKm(a: { lat: number; lng: number }, b: { lat: number; lng: number }): number {
  const point = ({ lat, lng }: { lat: number; lng: number }) => {
    const [phi, lambda] = [(lat * Math.PI) / 180, (lng * Math.PI) / 180]
    return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)] as const
  }
  const [p, q] = [point(a), point(b)]
  const dot = p[0] * q[0] + p[1] * q[1] + p[2] * q[2]
  const cross = Math.hypot(p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0])
  return 6371.0088 * Math.atan2(cross, dot)
}

/** By the types that the item has where it is listed; what has none there, by what its card shows. */
function fieldsOf(
  { types: all = [], name, handle, email, text, title, description, url }: Thing,
  types: readonly string[],
): (string | undefined)[] {
  if (types.length === 0) {
    const main = CARDS.find((type) => all.includes(type)) ?? all[0]
    return [title ?? name, text, main === 'photos' ? description : main === 'news' ? url : undefined]
  }
  return types.flatMap((type) => {
    if (type === 'contacts') return [name ?? title, handle, email]
    if (type === 'statuses') return [text]
    if (type === 'news') return [title ?? name, url]
    if (type === 'photos') return [title ?? name, description]
    return [title ?? name, text]
  })
}

/** Enough for the words that the test uses. */
function wordsIn(text: string | undefined): string[] {
  return (text ?? '')
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

const DAY_MS = 24 * 60 * 60 * 1000

/** Whether an item is a copy of an earlier one: the same id, page or picture; or by the same person, within a day, and it says so. */
function isCopy(item: Seen, earlier: Seen): boolean {
  const [keys, others] = [keysOf(item.stored.thing), keysOf(earlier.stored.thing)]
  const shared = keys.filter((key) => !/^(?:link|of):/.test(key) && others.includes(key))
  const texts = new Set([item, earlier].map(({ stored }) => publishedText(stored)).filter((text) => text !== undefined))
  // The same picture with other words says something else.
  if (shared.some((key) => !key.endsWith('.jpg') || texts.size < 2)) return true
  if (item.at - earlier.at > DAY_MS || !isSamePerson(item, earlier)) return false
  return linksOnlyTo(keys, others) || saysTheSame(item, earlier)
}

function isSamePerson(a: Seen, b: Seen): boolean {
  if (a.author === undefined || b.author === undefined) return false
  if (a.stored.service === b.stored.service && a.author === b.author) return true
  return a.author === a.stored.owner && b.author === b.stored.owner
}

function linksOnlyTo(keys: readonly string[], others: readonly string[]): boolean {
  const [pages, records] = ['link:', 'of:'].map((prefix) => keys.filter((key) => key.startsWith(prefix)))
  if (pages!.length > 1 || records!.length > 1) return false
  return [pages![0]?.replace('link:', 'page:'), records![0]?.replace('of:', '')].some((key) =>
    others.includes(key ?? ''),
  )
}

/** An album of one person may have one caption. */
function saysTheSame(a: Seen, b: Seen): boolean {
  const text = publishedText(a.stored)
  if (text === undefined || text !== publishedText(b.stored)) return false
  const isPictured = ({ types }: Seen) => types.length === 0 || types.some((type) => /^(?:photos|videos)/.test(type))
  const isOneUser = a.stored.service === b.stored.service && a.author === b.author
  return !(isOneUser && isPictured(a) && isPictured(b))
}

/** Contacts and messages are not published. */
function publishedText({ thing: { types = [], text } }: Stored): string | undefined {
  return types.includes('contacts') || !types.some((type) => FEEDS.includes(type)) ? undefined : text
}

/** The picture of an item that is nothing else is one of its keys. */
function keysOf({ guid = [], types = [], image }: Thing): string[] {
  const isPicture = types.includes('photos') && types.every((type) => type === 'photos' || type === 'videos')
  return isPicture && image !== undefined ? [...guid, image] : guid
}

function compare(a: { at: number; id: string }, b: { at: number; id: string }): number {
  if (a.at !== b.at) return a.at - b.at
  const [x, y] = [a.id.slice(0, 32), b.id.slice(0, 32)]
  return x < y ? -1 : x > y ? 1 : 0
}
