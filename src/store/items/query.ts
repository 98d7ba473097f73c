import { AccountChanged } from '#model/account.ts'
import type { Query, Selection } from '#model/query.ts'
import { baseOf } from '#model/types.ts'
import { firstOf, lastOf } from '#platform/list-ends.ts'
import { type Queries, type Statement, statement } from '#platform/postgres/database.ts'
import { autoPrepare } from '#platform/postgres/statement-cache.ts'
import { isSharded } from '../cluster/is-sharded.ts'
import { type Proof, stillOpens } from '../identity/access-tokens.ts'
import { refuseForeign } from './foreign-rows.ts'
import {
  allPredicates,
  indexLookup,
  indexPredicate,
  matchPredicates,
  matchPredicatesWithoutSearch,
  scanPredicates,
  Values,
} from './predicates.ts'
import { readShards } from './read-shards.ts'
import type { ReadableProfile } from './readable-profiles.ts'

/** An item as a query returns it; JSON stays text. */
export interface FoundItem {
  profileId: string
  id: string
  endpoint: string
  nativeId: string
  at: number
  updatedAt: number
  types: number
  guid: readonly string[]
  oembed: string
  data: string
  seq: number
}

/** In the order of `columns`. */
type Row = [
  profileId: string,
  /** Null in the one row of a proven query that found no items. */
  id: string | null,
  endpoint: string,
  nativeId: string,
  at: number,
  updatedAt: number,
  types: number,
  guid: string,
  oembed: string,
  data: string,
  seq: number,
]

// One text is cheaper to parse than an array, and it is nearly always empty.
const GUID_SEPARATOR = '\u001F'
const NO_GUIDS: readonly string[] = []
const columnsWith = <Oembed extends string>(oembed: Oembed) =>
  `i.profile_id, i.id, i.endpoint, i.native_id, i.at, i.updated_at, i.types,
  array_to_string(i.guid, '${GUID_SEPARATOR}') as guid, ${oembed}::text as oembed, i.data::text as data, i.seq` as const
const columns = columnsWith('i.oembed')
const RESULT_NAMES = 'profile_id, id, endpoint, native_id, at, updated_at, types, guid, oembed, data, seq'

/** `oembed` is the card of the selected type. Most items have one type, no other cards, and cost nothing more. */
function columnsFor(selection: Selection): string {
  if (!('type' in selection) || selection.type === 'all' || selection.type === 'all_feed') return columns
  return columnsWith(`coalesce(i.cards -> '${baseOf(selection.type)}', i.oembed)`)
}

/** How many items the first scan of a search reads, in reading order, before it continues or uses an index. */
const FIRST_SCAN_ROWS = 300
/**
 * If the first scan finds at least 1/DENSITY of a page, the search keeps scanning, up to EXTENDED_SCAN times as far,
 * instead of using the index.
 */
const DENSITY = 4
const EXTENDED_SCAN = 2 * DENSITY - 1

/**
 * One page of items in reading order. With a proof, checks that the token still opens these profiles; throws `AccountChanged`
 * when it does not.
 */
export async function queryItems(
  queries: Queries,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  limit: number,
  proof?: Proof,
): Promise<FoundItem[]> {
  const isEmpty = readable.length === 0 || limit === 0 || query.terms?.length === 0
  if (isEmpty && proof !== undefined) throw new AccountChanged()
  if (isEmpty) return []
  const sharded = await isSharded(queries)
  return readShards(queries, readable, query, limit, proof, async (group, page, rows, inStatement) => {
    const { statement: sql, values } = writeQuery(sharded, group, selection, page, rows, inStatement)
    const found = await queries.rows<Row>(sql, values)
    if (inStatement === undefined) return toOwnItems(group, found)
    if (found.length === 0) throw new AccountChanged()
    return found[0]?.[1] === null ? [] : toOwnItems(group, found)
  })
}

/** The last check before items leave the store: a row of another person is never returned. */
function toOwnItems(readable: readonly ReadableProfile[], rows: readonly Row[]): FoundItem[] {
  const own = new Set(readable.map(({ profileId }) => profileId))
  return rows.map((row) => {
    refuseForeign(own, row[0])
    return toItem(row)
  })
}

/** The statement of `queryItems` for profiles in one shard. */
export function writeQuery(
  sharded: boolean,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  limit: number,
  proof?: Proof,
): { statement: Statement; values: unknown[] } {
  const values = new Values(sharded)
  const text = writeSelect(values, readable, selection, query, limit)
  const proven = proveFirst(values, text, orderBy(query, 'found.'), proof)
  return { statement: { ...autoPrepare(proven), tuples: true }, values: values.list }
}

/** Items in reading order; by default with everything that a response contains. */
export function writeSelect(
  values: Values,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  limit: number,
  selected = columnsFor(selection),
): string {
  const write =
    indexPredicate(new Values(values.isSharded), firstOf(readable), query) === undefined ? writeScan : writeSearch
  return write(values, readable, selection, query, limit, selected)
}

/** At least one row while the proof holds, possibly an empty one; otherwise none, and no item is read. */
export function proveFirst(values: Values, text: string, order: string, proof: Proof | undefined): string {
  if (proof === undefined) return text
  return `select found.* from (select where ${stillOpens(values, proof)}) known
    left join (${text}) found on true order by ${order}`
}

/** One ordered scan for each profile, which stops after a page; their results are merged. */
function writeScan(
  values: Values,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  limit: number,
  selected: string,
): string {
  const pageSize = values.add(limit)
  const scans = readable.map((profile) => {
    const where = allPredicates(values, profile, selection, query).join(' and ')
    return `(select ${selected} from item i where ${where} order by ${orderBy(query, 'i.')} limit ${pageSize})`
  })
  if (scans.length === 1) return firstOf(scans)
  return `select * from (${scans.join(' union all ')}) found order by ${orderBy(query, '')} limit ${pageSize}`
}

/**
 * A search may match every second item or one in a million, and each profile differs. So the first items in reading
 * order are scanned and compared, which is enough for frequent matches and for small profiles. Where matches are not
 * rare among them, the scan goes on in the same order. Otherwise the index of words, people or places returns all
 * matches, which are few then. The statement decides by its own counts, not by estimates of the planner.
 */
function writeSearch(
  values: Values,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  limit: number,
  selected: string,
): string {
  const beyond = query.sort === 'asc' ? '>' : '<'
  const pageSize = `${values.add(limit)}::bigint`
  const scanRows = `${values.add(Math.max(FIRST_SCAN_ROWS, 2 * limit))}::bigint`
  const searches = readable.map((profile, n) => {
    const inScan = scanPredicates(values, profile, selection, query).join(' and ')
    const isMatch = matchPredicates(values, profile, query).join(' and ')
    const indexed = indexLookup(indexPredicate(values, profile, query)!)
    const notIndexed = matchPredicatesWithoutSearch(values, profile, query)
    const scan = (continuation: string, rows: string) =>
      `select i.at, i.id, ${isMatch} as matches from item i where ${inScan}${continuation}
       order by ${orderBy(query, 'i.')} limit ${rows}`
    const firstCount = `(select count(*) from first_${n} where matches)`
    const scanCount = `${firstCount} + (select count(*) from extended_${n})`
    const isUnfinished = `exists (select from end_${n})`
    const end = `((select at from end_${n}), (select id from end_${n}))`
    const isDense = `${firstCount} * ${DENSITY} >= ${pageSize}`
    const extendedRows = `coalesce(
      (select case when ${isDense} then ${scanRows} * ${EXTENDED_SCAN} end from end_${n}), 0)`
    return {
      // `first` keeps the last row of a scan that reached its limit, match or not: `end` continues after it.
      scans: `first_${n} as materialized (
          select at, id, matches, nth from (
            select *, row_number() over () as nth from (${scan('', scanRows)}) i) scanned
          where matches or nth = ${scanRows} limit ${pageSize}),
        end_${n} as materialized (
          select at, id from first_${n} where nth = ${scanRows} and ${firstCount} < ${pageSize}),
        extended_${n} as materialized (
          select at, id from (${scan(` and (i.at, i.id) ${beyond} ${end}`, extendedRows)}) scanned
          where matches limit ${pageSize} - ${firstCount})`,
      keys: `select ${n} as n, at, id from first_${n}
        where matches and (not ${isUnfinished} or ${scanCount} >= ${pageSize})
        union all select ${n}, at, id from extended_${n} where ${scanCount} >= ${pageSize}
        union all (
          select ${n}, at, id from ${indexed} i
          where ${[isUnfinished, `${scanCount} < ${pageSize}`, inScan, ...notIndexed].join(' and ')}
          order by ${orderBy(query, '')} limit ${pageSize})`,
    }
  })
  // Rows are read by primary key within their profile: a ctid would be ambiguous once the table is partitioned.
  const rows = readable.map(
    ({ shard, profileId }, n) => `select ${selected} from item i
      where i.shard = ${values.add(shard)} and i.profile_id = ${values.add(profileId)}
        and i.id = any(array(select id from keys where n = ${n}))`,
  )
  return `with ${searches.map(({ scans }) => scans).join(', ')},
    keys as materialized (
      select n, at, id from (${searches.map(({ keys }) => keys).join(' union all ')}) keys
      order by ${orderBy(query, '')} limit ${pageSize})
    select * from (${rows.join(' union all ')}) found order by ${orderBy(query, '')}`
}

export function orderBy({ sort }: Query, table: string): string {
  return `${table}at ${sort}, ${table}id ${sort}`
}

const findById = statement(
  'item-by-id',
  `select ${columns} from item i where i.shard = $shard and i.profile_id = $profileId and i.id = $id::uuid`,
)

const findAnyOfEndpoint = statement(
  'item-any-of-endpoint',
  'select 1 as found from item where shard = $shard and profile_id = $profileId and endpoint = $endpoint limit 1',
)

export async function findItem(
  queries: Queries,
  { shard, profileId }: ReadableProfile,
  id: string,
): Promise<FoundItem | undefined> {
  const [row] = await queries.rows<Row>({ ...findById.with({ shard, profileId, id }), tuples: true })
  if (row !== undefined) refuseForeign(new Set([profileId]), row[0])
  return row && toItem(row)
}

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

interface FoundItems {
  items: { place: number; item: FoundItem; bytes: number }[]
  isCut: boolean
  bytes: number
}

async function findInShard(
  queries: Queries,
  wanted: readonly WantedItem[],
  maxBytes: number,
): Promise<Omit<FoundItems, 'bytes'>> {
  const { text, values } = writeFind(wanted, maxBytes)
  const rows = await queries.rows<[...Row, place: number, size: number, found: number]>(
    { ...autoPrepare(text), tuples: true },
    values,
  )
  const own = new Set(wanted.map(({ profile }) => profile.profileId))
  const items = rows.map((row) => {
    const item = toItem(row.slice(0, 11) as Row)
    refuseForeign(own, item.profileId)
    return { place: row[11], item, bytes: row[12] }
  })
  return { items, isCut: rows.length < (rows[0]?.[13] ?? 0) }
}

/** The statement of `findItems` for items in one shard. */
export function writeFind(wanted: readonly WantedItem[], maxBytes: number): { text: string; values: unknown[] } {
  const values = new Values()
  const lists = [...Map.groupBy(wanted, ({ profile }) => profile)].map(([{ shard, profileId }, items]) => {
    const ids = values.add(items.map(({ id }) => id))
    const places = values.add(items.map(({ place }) => place))
    return `select ${columns}, w.place from unnest(${ids}::uuid[], ${places}::integer[]) as w (id, place)
      join item i on i.shard = ${values.add(shard)} and i.profile_id = ${values.add(profileId)} and i.id = w.id`
  })
  const text = `select ${RESULT_NAMES}, place, size, found from (
      select *, count(*) over () as found, row_number() over (order by place) as nth,
        sum(size) over (order by place) as bytes
      from (select *, octet_length(data) + octet_length(oembed) as size from (${lists.join(' union all ')}) listed) listed) sized
    where bytes <= ${values.add(maxBytes)} or nth = 1 order by place`
  return { text, values: values.list }
}

export async function hasEndpoint(
  queries: Queries,
  { shard, profileId }: ReadableProfile,
  endpoint: string,
): Promise<boolean> {
  return (await queries.rows(findAnyOfEndpoint.with({ shard, profileId, endpoint }))).length > 0
}

function toItem([profileId, id, endpoint, nativeId, at, updatedAt, types, guid, oembed, data, seq]: Row): FoundItem {
  return {
    profileId,
    id: id!.replaceAll('-', ''),
    endpoint,
    nativeId,
    at,
    updatedAt,
    types,
    guid: guid === '' ? NO_GUIDS : guid.split(GUID_SEPARATOR),
    oembed,
    data,
    seq,
  }
}
