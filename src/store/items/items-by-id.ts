import { lastOf } from '#platform/formats/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { autoPrepare } from '#platform/postgres/statement-cache.ts'
import { isSharded } from '../cluster/is-sharded.ts'
import { isFirstOfUser, type ReadableProfile } from '../identity/readable-profiles.ts'
import { hexId } from '../keys/item-ids.ts'
import { refuseForeign } from './foreign-rows.ts'
import { KEY_COLUMNS } from './list-items.ts'
import { Values } from './predicates.ts'
import { columns, type FoundItem, type FoundRow, toItem } from './query.ts'
import { ofProfile } from './shown-items.ts'

const ofKey = 'i.shard = $shard and i.profile_id = $profileId'
const FOUND_NAMES = 'profile_id, id, at, endpoint, native_id, updated_at, types, guid, oembed, data, seq'
const findById = statement(
  'item-by-id',
  `select ${KEY_COLUMNS}, ${columns} from item i where ${ofKey} and i.id = $id::uuid`,
)
const findAnyOfEndpoint = statement(
  'item-any-of-endpoint',
  `select 1 as found from item i where ${ofKey} and i.endpoint = $endpoint limit 1`,
)

/** Finds an item in the first of these profiles that has it: the copy that is read. */
export async function findItem(
  queries: Queries,
  readable: readonly ReadableProfile[],
  id: string,
): Promise<FoundItem | undefined> {
  for (const { shard, profileId } of readable) {
    const [row] = await queries.rows<FoundRow>({ ...findById.with({ shard, profileId, id }), tuples: true })
    if (row === undefined) continue
    refuseForeign(new Set([profileId]), row[0])
    return toItem(row)
  }
  return undefined
}

/** Whether one of these profiles has items of an endpoint. */
export async function hasEndpoint(
  queries: Queries,
  readable: readonly ReadableProfile[],
  endpoint: string,
): Promise<boolean> {
  for (const { shard, profileId } of readable)
    if ((await queries.rows(findAnyOfEndpoint.with({ shard, profileId, endpoint }))).length > 0) return true
  return false
}

/** Makes a function that reads these columns of items by id, of each item the copy of the first profile that has it. */
export function readerById<Row extends { id: string }>(
  name: string,
  asked: string,
  predicate: string,
): (queries: Queries, readable: readonly ReadableProfile[], ids: readonly string[]) => Promise<Row[]> {
  const find = statement(
    name,
    `select i.profile_id, ${hexId('i.id')} as id, i.at, ${asked} from item i
     where ${ofKey} and i.id = any($ids::uuid[]) and ${predicate}`,
  )
  return async (queries, readable, ids) => {
    const found: Row[] = []
    let missing = [...ids]
    for (const { shard, profileId } of readable) {
      if (missing.length === 0) break
      const rows = await queries.rows<Row>(find.with({ shard, profileId, ids: missing }))
      found.push(...rows)
      const known = new Set(rows.map(({ id }) => id))
      missing = missing.filter((id) => !known.has(id))
    }
    return found
  }
}

/** Those of these items that match. They were read before, so that they are no hidden copies. */
export async function matchingAmong(
  queries: Queries,
  profile: ReadableProfile,
  ids: readonly string[],
  where: (values: Values) => readonly string[],
): Promise<string[]> {
  const { text, values } = writeMatching(profile, ids, where)
  return (await queries.rows<{ id: string }>({ name: '', text }, values)).map(({ id }) => id)
}

/** The statement of `matchingAmong`. */
export function writeMatching(
  profile: ReadableProfile,
  ids: readonly string[],
  where: (values: Values) => readonly string[],
): { text: string; values: unknown[] } {
  const values = new Values()
  const all = [`i.id = any(${values.add(ids)}::uuid[])`, ofProfile(values, profile), ...where(values)]
  return { text: `select ${hexId('i.id')} as id from item i where ${all.join(' and ')}`, values: values.list }
}

// Of profiles without copies elsewhere, in any shard: what a page of a feed shows is read by one statement.
const findOfMany = statement(
  'feed-items',
  sizedItems(
    `select ${KEY_COLUMNS}, ${columns}, w.place
     from unnest($shards::smallint[], $profileIds::text[], $ids::uuid[], $places::integer[]) as w (shard, profile_id, id, place)
     cross join lateral (
       select * from item where shard = w.shard and profile_id = w.profile_id and id = w.id offset 0) i`,
    '$maxBytes',
  ),
)

/** An item to find, and its place in the result. */
export interface WantedItem {
  profile: ReadableProfile
  id: string
  place: number
}

/** Finds items in the order of their places, as many as fit, but at least one; `isCut` when not all of them did. */
export async function findItems(
  queries: Queries,
  wanted: readonly WantedItem[],
  maxBytes: number,
): Promise<FoundItems> {
  if (await isOneStatement(queries, wanted)) {
    const { items, isCut } = await findTogether(queries, wanted, maxBytes)
    return { items, isCut, bytes: items.reduce((sum, { bytes }) => sum + bytes, 0) }
  }
  const lists = await Promise.all(
    [...Map.groupBy(wanted, ({ profile }) => profile.shard).values()].map((list) =>
      findInShard(queries, list, maxBytes),
    ),
  )
  // Where a shard was cut, further items of it come next: nothing after its last one may be returned.
  const end = Math.min(...lists.filter(({ isCut }) => isCut).map(({ items }) => lastOf(items).place))
  const found = lists.flatMap(({ items }) => items).sort((a, b) => a.place - b.place)
  const items: FoundItems['items'] = []
  let bytes = 0
  for (const each of found) {
    if (each.place > end || (items.length > 0 && bytes + each.bytes > maxBytes)) break
    items.push(each)
    bytes += each.bytes
  }
  return { items, isCut: items.length < found.length || end < Number.POSITIVE_INFINITY, bytes }
}

/** Of one profile, the statement that is composed for it is as good. */
async function isOneStatement(queries: Queries, wanted: readonly WantedItem[]): Promise<boolean> {
  const isPlain = ({ profile }: WantedItem) => isFirstOfUser(profile) && profile.selection === undefined
  const isOfMany = wanted.some(({ profile }) => profile !== wanted[0]!.profile)
  return isOfMany && wanted.every(isPlain) && !(await isSharded(queries))
}

interface FoundItems {
  items: { place: number; item: FoundItem; bytes: number }[]
  isCut: boolean
  bytes: number
}

type SizedRow = [...FoundRow, place: number, size: number, found: number]

async function findInShard(
  queries: Queries,
  wanted: readonly WantedItem[],
  maxBytes: number,
): Promise<Omit<FoundItems, 'bytes'>> {
  const { text, values } = writeFind(wanted, maxBytes)
  return sizedOf(wanted, await queries.rows<SizedRow>({ ...autoPrepare(text), tuples: true }, values))
}

async function findTogether(
  queries: Queries,
  wanted: readonly WantedItem[],
  maxBytes: number,
): Promise<Omit<FoundItems, 'bytes'>> {
  const found = findOfMany.with({
    shards: wanted.map(({ profile }) => profile.shard),
    profileIds: wanted.map(({ profile }) => profile.profileId),
    ids: wanted.map(({ id }) => id),
    places: wanted.map(({ place }) => place),
    maxBytes,
  })
  return sizedOf(wanted, await queries.rows<SizedRow>({ ...found, tuples: true }))
}

function sizedOf(wanted: readonly WantedItem[], rows: readonly SizedRow[]): Omit<FoundItems, 'bytes'> {
  const own = new Set(wanted.map(({ profile }) => profile.profileId))
  const items = rows.map((row) => {
    const item = toItem(row.slice(0, 11) as FoundRow)
    refuseForeign(own, item.profileId)
    return { place: row[11], item, bytes: row[12] }
  })
  return { items, isCut: rows.length < (rows[0]?.[13] ?? 0) }
}

/** The statement of `findItems` for items in one shard. */
export function writeFind(wanted: readonly WantedItem[], maxBytes: number): { text: string; values: unknown[] } {
  const values = new Values()
  const lists = [...Map.groupBy(wanted, ({ profile }) => profile)].map(([profile, items]) => {
    const ids = values.add(items.map(({ id }) => id))
    const places = values.add(items.map(({ place }) => place))
    return `select ${KEY_COLUMNS}, ${columns}, w.place from unnest(${ids}::uuid[], ${places}::integer[]) as w (id, place)
      join item i on ${ofProfile(values, profile)} and i.id = w.id`
  })
  return { text: sizedItems(lists.join(' union all '), values.add(maxBytes)), values: values.list }
}

/** Those of the listed items that fit, in the order of their places, but at least one. */
function sizedItems<const Listed extends string, const Max extends string>(listed: Listed, maxBytes: Max) {
  return `select ${FOUND_NAMES}, place, size, found from (
      select *, count(*) over () as found, row_number() over (order by place) as nth,
        sum(size) over (order by place) as bytes
      from (select *, octet_length(data) + octet_length(oembed) as size from (${listed}) listed) listed) sized
    where bytes <= ${maxBytes} or nth = 1 order by place` as const
}
