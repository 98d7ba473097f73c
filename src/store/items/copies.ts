import {
  type ComparedItem,
  CROSS_POST_MS,
  conditionalKeys,
  isCopyBy,
  isEarlier,
  originalKeys,
} from '#model/items/copies.ts'
import { isTextKey } from '#model/items/dedupe-keys.ts'
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
  const untilMs = values.add(ats.reduce((latest, at) => Math.max(latest, at)))
  const write = (wanted: string[], since: number, places: readonly number[], isKept: string) => {
    const [dedupeKeys, sinceMs] = [values.add(wanted), values.add(since)]
    const isWanted = (place: number) => `${hashOf(`i.guid[${place}]`, 'i.profile_id')} = any(array(
      select ${hashOf('k', 'p.profile_id')} from unnest(${unestimated(`${dedupeKeys}::text[]`)}) k))
      and i.at >= ${unestimated(`${sinceMs}::bigint`)} and i.at <= ${unestimated(`${untilMs}::bigint`)}`
    const found = groupsOf(readable, query).flatMap((profiles) =>
      itemsWith(values, profiles, selection, query, places, isWanted),
    )
    return `(select dedupe_key, profile_id, at, id, author, types, first_key from (
        select *, ${NUMBERED} from (${found.join(' union all ')}) found
        window of_key as (partition by dedupe_key order by at, id), whole as (partition by dedupe_key)) found
      where ${isKept} order by dedupe_key, at, id)`
  }
  const since = Math.max(query.since, earliest - CROSS_POST_MS)
  const isConditional = () => `dedupe_key = any(${unestimated(`${values.add(conditional)}::text[]`)}::text[])`
  const text = [
    ...(texts.length === 0 ? [] : [write(texts, since, [TEXT_PLACE], KEPT_TEXTS[only])]),
    ...(ids.length === 0 ? [] : [write(ids, query.since, PLACES, `${KEPT_IDS[only]} or ${isConditional()}`)]),
  ].join(' union all ')
  return { text, values: values.list }
}

const KEPT_TEXTS = { shared: 'total > 1', earliest: 'true', all: 'true' }
const KEPT_IDS = { shared: 'nth = 1 and total > 1', earliest: 'nth = 1', all: 'true' }

/** The key of a text is the first in the list. In items of earlier releases an id may be. */
const TEXT_PLACE = 1
const NUMBERED = 'row_number() over of_key as nth, count(*) over whole as total'

/** Profiles whose items match by the same predicates: all of them, unless a predicate names the owner or the profile, or a profile is read in parts. */
function groupsOf(readable: readonly ReadableProfile[], { terms, participants }: Query): ReadableProfile[][] {
  const areAlike =
    terms === undefined &&
    participants.every(({ rule }) => rule === 'at_least') &&
    readable.every((profile) => isFirstOfUser(profile) && profile.selection === undefined)
  return areAlike ? [[...readable]] : readable.map((profile) => [profile])
}

/** One subquery for each place in the list of keys, because each has an index of its own. */
function itemsWith(
  values: Values,
  profiles: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  places: readonly number[],
  isWanted: (place: number) => string,
): string[] {
  const first = firstOf(profiles)
  const shard = values.add(first.shard)
  const profileIds = values.add(profiles.map(({ profileId }) => profileId))
  const profile = `unnest(${unestimated(`${profileIds}::text[]`)}) as p (profile_id)`
  const isMatch = [
    selectionPredicate(values, first.selection ?? selection),
    ...matchPredicates(values, first, query),
    ...exceptDuplicates(values, first),
  ]
  return places.map((place) => {
    const stored = `i.guid[${place}]`
    // In a subquery of its own, so that the planner uses the index of the keys and no other.
    return `select ${stored} as dedupe_key, i.profile_id, i.at, i.id, i.author, i.types, i.guid[1] as first_key from ${profile} cross join lateral (
        select * from item i where i.shard = ${shard} and i.profile_id = p.profile_id and ${stored} is not null
          and ${isWanted(place)} limit ${UNLIMITED}) i
      where ${isMatch.join(' and ')}`
  })
}
