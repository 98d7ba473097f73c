import { alwaysInMap, type MapField, mapFieldsOf } from '#model/items/normal.ts'
import { baseOf, typeBits, typesFromBits } from '#model/items/types.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { guarded, type ReaderFault } from '../read/read-field.ts'
import { participantsOf, personId, readMap, validPlace } from './read-item.ts'

/** What is stored of an item beside its record. */
export interface MappedItem {
  nativeId: string
  at: number
  /** The bits of its types. */
  types: number
}

type WritableMap = Record<string, unknown>

/**
 * Computes `map` of an item from the stored record, with all fields that its types always have. `owner` is the service user of the
 * endpoint; `onFault` receives what readers throw.
 */
export function itemMap(
  endpoint: Endpoint,
  raw: unknown,
  item: MappedItem,
  owner: string,
  onFault: (fault: ReaderFault) => void = () => {},
): WritableMap {
  const map = mapOf(endpoint, raw, owner, onFault)
  if ((item.types & CONTACTS) !== 0) map['id'] = contactId(endpoint, raw, map, item, owner, onFault)
  const allowed = allowedOf(item.types)
  // An app may give any field to its own items; `map` has those of their types.
  for (const field in map) if (allowed?.has(field) === false) delete map[field]
  return completeMap(map, item)
}

/** Computes only what the record has: without the fields that are null. */
export function mapOf(
  endpoint: Endpoint,
  raw: unknown,
  owner?: string,
  onFault: (fault: ReaderFault) => void = () => {},
): WritableMap {
  const { kind } = endpoint
  const read = guarded(onFault)
  const map: WritableMap = readMap(kind, raw, read)
  const place = read('place', () => validPlace(kind.place?.(raw)))
  const people = read('participants', () => participantsOf(endpoint, raw, owner))
  if (place !== undefined) map['ll'] = [place.lat, place.lng]
  if (people !== undefined && people.list.length > 0) {
    map['participants'] = Object.fromEntries(
      people.list.map((id, i) => [id, people.hasAuthor && i === 0 ? { author: true } : {}]),
    )
  }
  const author = map['author'] as { id?: string | null } | undefined
  const authorId = people?.hasAuthor === true ? people.list[0] : undefined
  // Who is named may be somebody else than who made the item, for example of a boost; then the reader returns whose name it is.
  const named = author === undefined || author.id === undefined ? authorId : personId(endpoint, author.id, owner)
  if (author !== undefined || named !== undefined) map['author'] = { ...author, id: named ?? null }
  return map
}

/** Adds the fields that an item of these types always has. Changes the object. */
export function completeMap(map: WritableMap, { nativeId, at, types }: MappedItem): WritableMap {
  map['at'] = at
  map['id'] ??= nativeId
  map['name'] ??= map['title'] ?? map['subject'] ?? ((types & CHECKINS) === 0 ? undefined : map['place'])
  const always = alwaysOf(types)
  if (always.has('title')) map['title'] ??= map['name']
  for (const field of always) map[field] ??= null
  return map
}

const CONTACTS = typeBits(['contacts'])
const CHECKINS = typeBits(['checkins', 'checkins_feed'])

/** The id under which a contact takes part in items, so that it can be searched for. */
function contactId(
  endpoint: Endpoint,
  raw: unknown,
  map: WritableMap,
  { nativeId }: MappedItem,
  owner: string,
  onFault: (fault: ReaderFault) => void,
): string | undefined {
  const { card, cards } = endpoint.kind
  const onCard = guarded(onFault)('card.id', () => (cards?.contacts?.id ?? card?.id)?.(raw))
  return personId(endpoint, onCard ?? (map['id'] as string | undefined) ?? nativeId, owner)
}

// Computed once for each combination of types: there are few, and every item has one.
const alwaysByTypes = new Map<number, ReadonlySet<MapField>>()
const allowedByTypes = new Map<number, ReadonlySet<string>>()

/** Undefined for an item without a type, which may have all fields. */
function allowedOf(types: number): ReadonlySet<string> | undefined {
  if (types === 0) return undefined
  let allowed = allowedByTypes.get(types)
  if (allowed === undefined) {
    allowed = new Set(typesFromBits(types).flatMap((type) => mapFieldsOf(baseOf(type))))
    allowedByTypes.set(types, allowed)
  }
  return allowed
}

function alwaysOf(types: number): ReadonlySet<MapField> {
  let always = alwaysByTypes.get(types)
  if (always === undefined) {
    always = new Set(alwaysInMap(typesFromBits(types).map(baseOf)))
    alwaysByTypes.set(types, always)
  }
  return always
}
