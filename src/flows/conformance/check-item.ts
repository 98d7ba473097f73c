import assert from 'node:assert/strict'
import { sameServerId } from '#kit/auth/same-server-id.ts'
import { itemMap } from '#kit/connector/item-map.ts'
import { type ItemDraft, MAX_PARTICIPANTS } from '#kit/connector/read-item.ts'
import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import { CARD_TYPES } from '#kit/read/read-cards.ts'
import { alwaysInMap, type Card, MAP_FIELDS, MAP_KEYS } from '#model/items/normal.ts'
import { type BaseType, baseOf, ITEM_TYPES, typeBits } from '#model/items/types.ts'

const [YEAR_2000, YEAR_2100] = [Date.UTC(2000), Date.UTC(2100)]
const ADDRESSES = ['url', 'image', 'media', 'photo', 'thumbnail_url', 'provider_url']

/** Checks that hold for the items of every service. */
export function checkItem(endpoint: Endpoint, owner: string, raw: unknown, draft: ItemDraft): void {
  assert.deepEqual(draft.faults, [], 'readers that failed')
  if (draft.deleted) return
  if (draft.at !== undefined) checkTime('at', draft.at)
  for (const type of draft.types) assert.ok(ITEM_TYPES.includes(type), `there is no type ${type}`)
  if (endpoint.feed) checkFeed(owner, draft)
  checkParticipants(endpoint, owner, raw, draft)
  if (draft.place !== undefined) checkPlace(draft.place)
  for (const dedupeKey of draft.guid) assert.match(dedupeKey, /^[a-z]+:\S+$/, 'dedupe keys have no spaces')
  for (const text of draft.texts) assert.ok(typeof text === 'string' && text !== '', 'a text to search is a text')
  const map = itemMap(
    endpoint,
    raw,
    { nativeId: draft.nativeId, at: draft.at ?? 0, types: typeBits(draft.types) },
    owner,
  )
  checkMap(map)
  checkContract(map, draft)
  checkCard(draft.card)
  checkCards(draft, map)
}

function checkFeed(owner: string, { types, hasAuthor, participants }: ItemDraft): void {
  for (const type of types) assert.match(type, /_feed$/, 'what others made is of a feed')
  if (hasAuthor && participants[0] === owner) assert.deepEqual(types, [], 'what the person made is in no feed')
}

/** Each type that the item is stored under has a card of its own, and all cards are searched. */
function checkCards({ types, card: main, cards, texts }: ItemDraft, map: Record<string, unknown>): void {
  for (const type of types.map(baseOf)) {
    const card = cards[type] ?? main
    checkCard(card)
    assert.equal(card.type, CARD_TYPES[type], `the card of ${type}`)
    const urls = (map['urls'] ?? [map['url']]) as unknown[]
    if (type === 'photos' && map['image'] !== null) assert.match(card.url ?? '', /^http/, 'a photo has a picture')
    if (type === 'news') assert.ok(urls.includes(card.url), `the card of a link has another address: ${card.url}`)
    if (type === 'statuses') assert.equal(card.text ?? null, map['text'])
    for (const text of searchedIn(type, card)) assert.ok(texts.includes(text), `the card of ${type} is not searched`)
  }
}

function searchedIn(type: BaseType, { title, url, description }: Partial<Card>): string[] {
  const searched = type === 'news' ? [title, url] : type === 'photos' ? [title, description] : []
  return searched.filter((text) => text !== undefined)
}

function checkParticipants(
  { kind, feed, idsOnServer }: Endpoint,
  owner: string,
  raw: unknown,
  { participants, hasAuthor }: ItemDraft,
): void {
  if (kind.participants === undefined) return
  assert.ok(participants.length <= MAX_PARTICIPANTS, `${participants.length} participants`)
  assert.equal(new Set(participants).size, participants.length, 'participants are unique')
  for (const id of participants) assert.match(id, /\S/, 'a participant without id')
  // An own item without an author in the record has the person as author.
  const told = kind.participants(raw).author
  const isOnServer = kind.peopleOnInstance === true || idsOnServer === true
  const named = told === undefined || !isOnServer ? told : sameServerId(owner, String(told))
  const author = String(named ?? (feed ? '' : owner))
  assert.equal(hasAuthor, author !== '', 'the author is known')
  if (hasAuthor) assert.equal(participants[0], author, 'the author is first')
}

function checkPlace({ lat, lng }: { lat: number; lng: number }): void {
  assert.ok(Math.abs(lat) <= 90 && Math.abs(lng) <= 180, `no place on earth: ${lat},${lng}`)
}

function checkCard(card: Partial<Card>): void {
  for (const [field, value] of Object.entries(card)) {
    assert.ok(typeof value === 'string' || typeof value === 'number', `card.${field} is ${typeof value}`)
    if (ADDRESSES.includes(field)) checkAddress(`card.${field}`, value)
  }
}

function checkMap(map: Record<string, unknown>): void {
  const strangers = Object.keys(map).filter((field) => !(MAP_KEYS as string[]).includes(field))
  assert.deepEqual(strangers, [], 'fields that map does not have')
  // A bigint in a map could not be written as JSON.
  assert.doesNotThrow(() => JSON.stringify(map))
  for (const field of ADDRESSES) if (isKnown(map[field])) checkAddress(`map.${field}`, map[field])
  for (const url of (map['urls'] ?? []) as unknown[]) checkAddress('map.urls', url)
  for (const field of ['earliest', 'starts', 'ends']) if (isKnown(map[field])) checkTime(`map.${field}`, map[field])
}

const isKnown = (value: unknown) => value !== undefined && value !== null

/** What clients may rely on: the fields of its types are there, and each value is of the type that it is documented with. */
function checkContract(map: Record<string, unknown>, { types, hasAuthor, card }: ItemDraft): void {
  const missing = alwaysInMap(types.map(baseOf)).filter((field) => map[field] === undefined)
  assert.deepEqual(missing, [], 'fields that map always has')
  for (const [field, schema] of Object.entries(MAP_FIELDS)) {
    const { error } = schema.nullable().optional().safeParse(map[field])
    const [issue] = error?.issues ?? []
    const where = ['map', field, ...(issue?.path ?? [])].join('.')
    assert.equal(issue, undefined, `${where}: ${issue?.message}; its reader returned ${JSON.stringify(map[field])}`)
  }
  assert.equal(typeof map['id'], 'string', 'map.id is a text')
  if (isKnown(map['title']) || isKnown(map['subject']))
    assert.equal(typeof map['name'], 'string', 'map.name, where there is a title or a subject')
  if (hasAuthor) assert.ok(isKnown(map['author']), 'map.author, where participants have an author')
  const author = map['author'] as { id: string | null } | null | undefined
  if (isKnown(author)) assert.notEqual(author?.id, undefined, 'map.author.id')
  if (types.includes('contacts') && card.id !== undefined)
    assert.equal(map['id'], card.id, 'map.id of a contact is the id of its card')
}

function checkTime(field: string, value: unknown): void {
  const isTime = typeof value === 'number' && Number.isInteger(value) && value > YEAR_2000 && value < YEAR_2100
  assert.ok(isTime, `${field} is not a valid time in milliseconds: ${String(value)}`)
}

function checkAddress(field: string, value: unknown): void {
  const protocol = typeof value === 'string' ? URL.parse(value)?.protocol : undefined
  assert.match(protocol ?? '', /^https?:$/, `${field} is not an http or https URL: ${String(value)}`)
}
