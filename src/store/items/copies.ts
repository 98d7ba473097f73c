import { isLinkOrId, isTextKey, MAX_DEDUPE_KEYS, SAME_TEXT_MS } from '#model/items/dedupe-keys.ts'
import type { ItemKey, Query, Selection } from '#model/items/query.ts'
import { firstOf } from '#platform/formats/list-ends.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { autoPrepare } from '#platform/postgres/statement-cache.ts'
import { isFirstOfUser, type ReadableProfile } from '../identity/readable-profiles.ts'
import { withoutHiddenOf } from './hidden-copies.ts'
import { matchPredicates, selectionPredicate, Values } from './predicates.ts'
import { shardsOf, splitByCopies } from './read-shards.ts'
import { exceptDuplicates, UNLIMITED } from './shown-items.ts'

/** An item as it is compared with others. */
export interface ComparedItem extends ItemKey {
  profileId: string
  guid: readonly string[]
}

/** An item that matches the query, by one of its dedupe keys. */
interface KeyedItem extends ItemKey {
  dedupe_key: string
  profile_id: string
  service: string
}

/**
 * Returns the positions of those items that are copies. An item is a copy if an earlier item (by time, then id) that matches the
 * same query, on any of its pages, has the same link or id, or the same text at another service close in time. It does not matter
 * whether that earlier item is a copy too.
 */
export async function findCopies(
  queries: Queries,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  items: readonly ComparedItem[],
): Promise<Set<number>> {
  const keyed = await findKeyed(queries, readable, selection, query, items)
  if (keyed.size === 0) return new Set()
  const services = new Map(readable.map(({ profileId, service }) => [profileId, service]))
  const isCopy = (item: ComparedItem) =>
    item.guid.some((dedupeKey) => {
      const found = keyed.get(dedupeKey)
      if (found === undefined) return false
      return isTextKey(dedupeKey)
        ? hasEarlierText(found, item, services.get(item.profileId)!)
        : isEarlier(firstOf(found), item)
    })
  return new Set(items.flatMap((item, position) => (isCopy(item) ? [position] : [])))
}

function hasEarlierText(found: readonly KeyedItem[], item: ComparedItem, service: string): boolean {
  for (let n = firstSince(found, item.at - SAME_TEXT_MS); n < found.length && isEarlier(found[n]!, item); n += 1)
    if (found[n]!.service !== service) return true
  return false
}

function isEarlier(found: KeyedItem, { at, id }: ItemKey): boolean {
  return found.at < at || (found.at === at && found.id.replaceAll('-', '') < id)
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

/** The items of each key that several items have, earliest first; of links and ids at least the earliest. */
async function findKeyed(
  queries: Queries,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  items: readonly ComparedItem[],
): Promise<Map<string, KeyedItem[]>> {
  const hasOtherServices = new Set(readable.map(({ service }) => service)).size > 1
  const { open, hidden } = splitByCopies(readable)
  const isAll = open.length === readable.length && shardsOf(open).length === 1
  const read = (group: readonly ReadableProfile[], only: 'shared' | 'earliest' | 'all') => {
    const composed = writeKeyed(group, selection, query, items, { hasOtherServices, only })
    return composed === undefined ? [] : queries.rows<KeyedItem>(autoPrepare(composed.text), composed.values)
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
  const items = found.map((keyed) => ({ keyed, profileId: keyed.profile_id, id: keyed.id.replaceAll('-', '') }))
  return (await withoutHiddenOf(queries, readable, items)).map(({ keyed }) => keyed)
}

function compareKeyed(a: KeyedItem, b: KeyedItem): number {
  return a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
}

/**
 * Finds the keys of these items in profiles of one shard; undefined when they have none. `shared`: only keys that several items
 * have. `earliest`: of links and ids the first item, of texts all.
 */
export function writeKeyed(
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  items: readonly ComparedItem[],
  { hasOtherServices, only }: { hasOtherServices: boolean; only: 'shared' | 'earliest' | 'all' },
): { text: string; values: unknown[] } | undefined {
  const keys = [...new Set(items.flatMap(({ guid }) => guid))]
  const links = keys.filter(isLinkOrId)
  const texts = hasOtherServices ? keys.filter(isTextKey) : []
  if (links.length + texts.length === 0) return undefined
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
    return `(select dedupe_key, profile_id, at, id, service from (
        select *, ${NUMBERED} from (${found.join(' union all ')}) found
        window of_key as (partition by dedupe_key order by at, id),
          whole as (partition by dedupe_key order by at, id rows between unbounded preceding and unbounded following)) found
      where ${isKept} order by dedupe_key, at, id)`
  }
  const text = [
    ...(texts.length === 0
      ? []
      : [write(texts, Math.max(query.since, earliest - SAME_TEXT_MS), [TEXT_PLACE], KEPT_TEXTS[only])]),
    ...(links.length === 0 ? [] : [write(links, query.since, PLACES, KEPT_LINKS[only])]),
  ].join(' union all ')
  return { text, values: values.list }
}

const KEPT_TEXTS = { shared: 'first_service <> last_service', earliest: 'true', all: 'true' }
const KEPT_LINKS = { shared: 'nth = 1 and total > 1', earliest: 'nth = 1', all: 'true' }

/** The key of a text is the first in the list. In items of earlier releases a link or an id may be. */
const TEXT_PLACE = 1
const PLACES = Array.from({ length: MAX_DEDUPE_KEYS }, (_, i) => i + 1)
const NUMBERED = `row_number() over of_key as nth, count(*) over whole as total,
  min(service collate "C") over whole as first_service, max(service collate "C") over whole as last_service`

/** Profiles whose items match by the same predicates: all of them, unless a predicate names the owner or the profile. */
function groupsOf(readable: readonly ReadableProfile[], { terms, participants }: Query): ReadableProfile[][] {
  const areAlike =
    terms === undefined && participants.every(({ rule }) => rule === 'at_least') && readable.every(isFirstOfUser)
  return areAlike ? [[...readable]] : readable.map((profile) => [profile])
}

/**
 * In a subquery, so that the planner does not know the value: it would estimate by the length of a list, always find a plan for the
 * given one cheaper than one for all, and plan the statement at each execution, which takes longer than executing it.
 */
function unestimated(value: string): string {
  return `(select ${value})`
}

/** As the indexes contain it. */
function hashOf(dedupeKey: string, profileId: string): string {
  return `hashtextextended(${dedupeKey}, hashtextextended(${profileId}, 0))`
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
  const list = (name: 'profileId' | 'service') =>
    unestimated(`${values.add(profiles.map((profile) => profile[name]))}::text[]`)
  const profile = `unnest(${list('profileId')}, ${list('service')}) as p (profile_id, service)`
  const isMatch = [
    selectionPredicate(values, selection),
    ...matchPredicates(values, first, query),
    ...exceptDuplicates(values, first),
  ]
  return places.map((place) => {
    const stored = `i.guid[${place}]`
    // In a subquery of its own, so that the planner uses the index of the keys and no other.
    return `select ${stored} as dedupe_key, i.profile_id, i.at, i.id, p.service from ${profile} cross join lateral (
        select * from item i where i.shard = ${shard} and i.profile_id = p.profile_id and ${stored} is not null
          and ${isWanted(place)} limit ${UNLIMITED}) i
      where ${isMatch.join(' and ')}`
  })
}
