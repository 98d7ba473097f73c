import {
  type ComparedItem,
  CROSS_POST_MS,
  conditionalKeys,
  isCopyBy,
  isEarlier,
  originalKeys,
} from '#model/items/copies.ts'
import { isTextKey, linkedIds } from '#model/items/dedupe-keys.ts'
import type { ItemKey, Query, Selection } from '#model/items/query.ts'
import { firstOf } from '#platform/formats/list-ends.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { autoPrepare } from '#platform/postgres/statement-cache.ts'
import { isFirstOfUser, type ReadableProfile } from '../identity/readable-profiles.ts'
import { refuseForeign } from './foreign-rows.ts'
import { withoutHiddenOf } from './hidden-copies.ts'
import { hashOf, PLACES, unestimated } from './key-index.ts'
import { matchPredicates, selectionPredicate, Values } from './predicates.ts'
import { shardsOf, splitByCopies } from './read-shards.ts'
import { exceptDuplicates, UNLIMITED } from './shown-items.ts'

/** An item, and the profile that has it. */
export interface ItemOfProfile extends ItemKey {
  profileId: string
}

/** An item of a list, with what is compared of it. */
export interface ListedWithKeys extends ItemOfProfile {
  guid: readonly string[]
  types: number
  author?: string | null | undefined
}

/** An item that matches the query, by one of its dedupe keys. */
interface KeyedItem extends ItemKey {
  dedupe_key: string
  profile_id: string
  author: string | null
  types: number
  /** Its first dedupe key: that of its text, if it has one. */
  first_key: string
}

/**
 * Finds the items that are copies, by their position, and of each the original: the earliest item of which it is a copy
 * (`model/items/copies.ts`) and that matches the same query, on any of its pages. It does not matter whether that one is a copy too.
 */
export async function findCopies(
  queries: Queries,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  items: readonly ListedWithKeys[],
): Promise<Map<number, ItemOfProfile>> {
  const keyed = await findKeyed(queries, readable, selection, query, items)
  const copies = new Map<number, ItemOfProfile>()
  if (keyed.size === 0) return copies
  const profiles = new Map(readable.map((profile) => [profile.profileId, profile]))
  const madeBy = (profileId: string): Pick<ComparedItem, 'service' | 'owner'> => profiles.get(profileId)!
  for (const [position, { profileId, at, id, guid, types, author = null }] of items.entries()) {
    const { service, owner } = madeBy(profileId)
    const item: ComparedItem = { at, id, guid, types, author, service, owner }
    const isOriginal = (dedupeKey: string) => (found: KeyedItem) =>
      isCopyBy(dedupeKey, item, { ...found, ...madeBy(found.profile_id) }, textKeyOf(found))
    const originals = originalKeys(item).flatMap(
      (dedupeKey) => firstBefore(keyed.get(dedupeKey) ?? [], dedupeKey, item, isOriginal(dedupeKey)) ?? [],
    )
    const original = originals.sort(compareKeyed)[0]
    if (original !== undefined)
      copies.set(position, { profileId: original.profile_id, at: original.at, id: original.id })
  }
  return copies
}

function textKeyOf({ first_key: key }: KeyedItem): string | undefined {
  return isTextKey(key) ? key : undefined
}

/** The first of the earlier items, which are in order, that is an original; of texts only those of the day before are looked at. */
function firstBefore(
  found: readonly KeyedItem[],
  dedupeKey: string,
  item: ItemKey,
  isOriginal: (found: KeyedItem) => boolean,
): KeyedItem | undefined {
  const start = isTextKey(dedupeKey) ? firstSince(found, item.at - CROSS_POST_MS) : 0
  for (let n = start; n < found.length && isEarlier(found[n]!, item); n += 1) if (isOriginal(found[n]!)) return found[n]
  return undefined
}

/** The first position whose time is not before this one; the list is in the order of time. */
function firstSince(found: readonly KeyedItem[], sinceMs: number): number {
  let [low, high] = [0, found.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (found[middle]!.at < sinceMs) low = middle + 1
    else high = middle
  }
  return low
}

/** The items of each key by which these have an original, earliest first; of ids at least the earliest. */
async function findKeyed(
  queries: Queries,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  items: readonly ListedWithKeys[],
): Promise<Map<string, KeyedItem[]>> {
  const { open, hidden } = splitByCopies(readable)
  const isAll = open.length === readable.length && shardsOf(open).length === 1
  const read = async (group: readonly ReadableProfile[], only: 'shared' | 'earliest' | 'all') => {
    const composed = writeKeyed(group, selection, query, items, only)
    if (composed === undefined) return []
    const rows = await queries.rows<KeyedItem>(autoPrepare(composed.text), composed.values)
    const own = new Set(group.map(({ profileId }) => profileId))
    for (const { profile_id } of rows) refuseForeign(own, profile_id)
    return rows.map((row) => ({ ...row, id: row.id.replaceAll('-', '') }))
  }
  if (isAll) return Map.groupBy(await read(open, 'shared'), ({ dedupe_key }) => dedupe_key)
  // Another shard may have an item of the same key, or a copy that takes precedence.
  const lists = await Promise.all([
    ...shardsOf(open).map((group) => read(group, 'earliest')),
    ...shardsOf(hidden).map(async (group) => withoutHiddenCopies(queries, group, await read(group, 'all'))),
  ])
  return Map.groupBy(lists.flat().sort(compareKeyed), ({ dedupe_key }) => dedupe_key)
}

async function withoutHiddenCopies(
  queries: Queries,
  readable: readonly ReadableProfile[],
  found: readonly KeyedItem[],
): Promise<KeyedItem[]> {
  const items = found.map((keyed) => ({ keyed, profileId: keyed.profile_id, id: keyed.id }))
  return (await withoutHiddenOf(queries, readable, items)).map(({ keyed }) => keyed)
}

function compareKeyed(a: KeyedItem, b: KeyedItem): number {
  return a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
}

/**
 * Finds the keys of the originals of these items in profiles of one shard; undefined when they have none. `shared`: only keys that
 * several items have. `earliest`: of ids the first item. Where more than the key decides, all items are found.
 */
export function writeKeyed(
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  items: readonly ListedWithKeys[],
  only: 'shared' | 'earliest' | 'all',
): { text: string; values: unknown[] } | undefined {
  const keys = [...new Set(items.flatMap(originalKeys))]
  const texts = keys.filter(isTextKey)
  const ids = keys.filter((dedupeKey) => !isTextKey(dedupeKey))
  if (keys.length === 0) return undefined
  const conditional = [...new Set(items.flatMap(conditionalKeys))].filter((dedupeKey) => !isTextKey(dedupeKey))
  const ats = items.map(({ at }) => at)
  const values = new Values()
  const earliest = ats.reduce((first, at) => Math.min(first, at))
  const wanted: Wanted = {
    texts: values.add(texts),
    ids: values.add(ids),
    textsSinceMs: values.add(Math.max(query.since, earliest - CROSS_POST_MS)),
    sinceMs: values.add(query.since),
    untilMs: values.add(ats.reduce((latest, at) => Math.max(latest, at))),
    places: [...(texts.length === 0 ? [] : TEXT_PLACES), ...(ids.length === 0 ? [] : ID_PLACES)],
  }
  const found = groupsOf(readable, query).map((profiles) => itemsWith(values, profiles, selection, query, wanted))
  const isAnyOf = (some: readonly string[]) =>
    some.length === 0 ? 'false' : `dedupe_key = any(${unestimated(`${values.add(some)}::text[]`)}::text[])`
  const isNeeded = () => `nth = 1 or is_text or ${isAnyOf(conditional)}`
  const isKept = {
    shared: () => `(nth > 1 or next_at is not null) and (${isNeeded()}) or ${isAnyOf(foundAlone(items, conditional))}`,
    earliest: isNeeded,
    all: () => 'true',
  }
  const text = `select dedupe_key, profile_id, at, id, author, types, first_key from (
      select *, row_number() over of_key as nth, lead(at) over of_key as next_at from (${found.join(' union all ')}) found
      window of_key as (partition by dedupe_key order by at, id)) found
    where ${isKept[only]()} order by dedupe_key, at, id`
  return { text, values: values.list }
}

/** Keys that several items need not have: the only item that has one may be the original of an item without it. */
function foundAlone(items: readonly ListedWithKeys[], conditional: readonly string[]): string[] {
  const own = new Set(items.flatMap(({ guid }) => guid.slice(0, PLACES.length)))
  return [...new Set([...items.flatMap(({ guid }) => linkedIds(guid)), ...conditional.filter((key) => !own.has(key))])]
}

/** What is looked up in the indexes of keys: placeholders, and the indexes. */
interface Wanted {
  texts: string
  ids: string
  textsSinceMs: string
  sinceMs: string
  untilMs: string
  places: readonly { place: number; isText: boolean }[]
}

/** The key of a text is the first in the list. In items of earlier releases an id may be. */
const TEXT_PLACES = [{ place: 1, isText: true }]
const ID_PLACES = PLACES.map((place) => ({ place, isText: false }))

/** Profiles whose items match by the same predicates: all of them, unless a predicate names the owner or the profile, or a profile is read in parts. */
function groupsOf(readable: readonly ReadableProfile[], { terms, participants }: Query): ReadableProfile[][] {
  const areAlike =
    terms === undefined &&
    participants.every(({ rule }) => rule === 'at_least') &&
    readable.every((profile) => isFirstOfUser(profile) && profile.selection === undefined)
  return areAlike ? [[...readable]] : readable.map((profile) => [profile])
}

/**
 * One subquery for each place in the list of keys, because each has an index of its own. What all of them look up is one row before them:
 * it is computed once, and the planner does not know it (`unestimated`).
 */
function itemsWith(
  values: Values,
  profiles: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  wanted: Wanted,
): string {
  const first = firstOf(profiles)
  const shard = values.add(first.shard)
  const profileIds = `${values.add(profiles.map(({ profileId }) => profileId))}::text[]`
  const isMatch = [
    'i.profile_id = any(w.profiles)',
    selectionPredicate(values, first.selection ?? selection),
    ...matchPredicates(values, first, query),
    ...exceptDuplicates(values, first),
  ].join(' and ')
  const hashes = (dedupeKeys: string) =>
    `array(select ${hashOf('k', 'p')} from unnest(${profileIds}) p, unnest(${dedupeKeys}::text[]) k)`
  const lookups = wanted.places.map(({ place, isText }) => {
    const stored = `i.guid[${place}]`
    const [list, since] = isText ? ['w.texts', 'w.texts_since_ms'] : ['w.ids', 'w.since_ms']
    // One key at a time, in a subquery of its own: for a list the planner would rather read all items of the shard or profile.
    return `select ${stored} as dedupe_key, i.profile_id, i.at, i.id, i.author, i.types, i.guid[1] as first_key, ${isText} as is_text
      from unnest(${list}) wanted (hash) cross join lateral (
        select * from item i where i.shard = ${shard} and ${stored} is not null and ${hashOf(stored, 'i.profile_id')} = wanted.hash
          and i.at >= ${since} and i.at <= w.until_ms limit ${UNLIMITED}) i
      where ${isMatch}`
  })
  return `select keyed.* from (select ${hashes(wanted.texts)} as texts, ${hashes(wanted.ids)} as ids, ${profileIds} as profiles,
      ${wanted.textsSinceMs}::bigint as texts_since_ms, ${wanted.sinceMs}::bigint as since_ms,
      ${wanted.untilMs}::bigint as until_ms offset 0) w
    cross join lateral (${lookups.join(' union all ')}) keyed`
}
