import { AccountChanged } from '#model/accounts/account.ts'
import type { ItemKey, Query, Selection } from '#model/items/query.ts'
import { firstOf } from '#platform/formats/list-ends.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { autoPrepare } from '#platform/postgres/statement-cache.ts'
import { isSharded } from '../cluster/is-sharded.ts'
import { type Proof, stillOpens } from '../identity/access-tokens.ts'
import type { ReadableProfile } from '../identity/readable-profiles.ts'
import { hexId } from '../keys/item-ids.ts'
import { refuseForeign } from './foreign-rows.ts'
import {
  allPredicates,
  indexPredicate,
  matchPredicates,
  matchPredicatesWithoutSearch,
  scanPredicates,
  Values,
} from './predicates.ts'
import { isOneStatement, type ListedItem, readShards } from './read-shards.ts'
import { exceptDuplicates, indexLookup, ofProfile, shownItems } from './shown-items.ts'

/** The first items of profiles that match a query, in its order. */
export interface ItemList {
  readable: readonly ReadableProfile[]
  selection: Selection
  query: Query
  limit: number
  /** What the statement verifies; `AccountChanged` is thrown when it does not hold. */
  proof?: Proof | undefined
}

/** The values of `KEY_COLUMNS`; those that the reader asks for follow. */
export type ListRow = [
  profileId: string,
  /** Null in the one row of a proven list without items. */
  id: string | null,
  at: number,
  ...asked: unknown[],
]
export const KEY_COLUMNS = 'i.profile_id, i.id, i.at'

/** How many items the first scan of a search reads, in reading order, before it continues or uses an index. */
const FIRST_SCAN_ROWS = 300
/**
 * If the first scan finds at least 1/DENSITY of a page, the search keeps scanning, up to EXTENDED_SCAN times as far,
 * instead of using the index.
 */
const DENSITY = 4
const EXTENDED_SCAN = 2 * DENSITY - 1

/** Lists items with these columns: by one statement where one shard has them all, and without hidden copies wherever they are. */
export async function listItems<Row extends ListRow, Item extends ListedItem>(
  queries: Queries,
  list: ItemList,
  columns: string,
  toItem: (row: Row) => Item,
): Promise<Item[]> {
  const { readable, selection, query, limit, proof } = list
  const isEmpty = readable.length === 0 || limit === 0 || query.terms?.length === 0
  if (isEmpty && proof !== undefined) throw new AccountChanged()
  if (isEmpty) return []
  const sharded = await isSharded(queries)
  return readShards(queries, readable, query, limit, proof, async (group, page, rows, inStatement) => {
    const part = { readable: group, selection, query: page, limit: rows, proof: inStatement }
    const { text, values } = writeList(sharded, part, columns)
    const found = await queries.rows<Row>({ ...autoPrepare(text), tuples: true }, values)
    if (inStatement !== undefined && found.length === 0) throw new AccountChanged()
    return found[0]?.[1] === null ? [] : toOwnItems(group, found, toItem)
  })
}

/** The last check before items leave the store: a row of another person is never returned. */
function toOwnItems<Row extends ListRow, Item>(
  readable: readonly ReadableProfile[],
  rows: readonly Row[],
  toItem: (row: Row) => Item,
): Item[] {
  const own = new Set(readable.map(({ profileId }) => profileId))
  return rows.map((row) => {
    refuseForeign(own, row[0])
    return toItem(row)
  })
}

/** The statement of `listItems` for profiles in one shard. */
export function writeList(sharded: boolean, list: ItemList, columns: string): { text: string; values: unknown[] } {
  const values = new Values(sharded)
  const text = writeSelect(values, list, columns === '' ? KEY_COLUMNS : `${KEY_COLUMNS}, ${columns}`)
  return { text: proveFirst(values, text, orderBy(list.query, 'found.'), list.proof), values: values.list }
}

/** The last of a number of items, and the one before it. */
export interface LastKeys {
  count: number
  last: ItemKey | undefined
  secondToLast: ItemKey | undefined
}

/** Limit: keys that are in memory at once while the end of a page is looked for in several shards. */
const MAX_KEYS = 2000

/** Finds the end of a list without reading its items. The database keeps two keys at a time. */
export async function findLastKeys(queries: Queries, list: ItemList): Promise<LastKeys> {
  const { readable, proof } = list
  if (!isOneStatement(queries, readable, proof)) return findLastOfShards(queries, list)
  const { text, values } = writeLastKeys(await isSharded(queries), list)
  const rows = await queries.rows<{ at: number; id: string | null; nth: number }>(autoPrepare(text), values)
  if (proof !== undefined && rows.length === 0) throw new AccountChanged()
  const [last, secondToLast] = rows.flatMap(({ at, id }) => (id === null ? [] : [{ at, id }]))
  return { count: last === undefined ? 0 : rows[0]!.nth, last, secondToLast }
}

/** The statement of `findLastKeys` for profiles in one shard. */
export function writeLastKeys(sharded: boolean, list: ItemList): { text: string; values: unknown[] } {
  const values = new Values(sharded)
  const keys = writeSelect(values, list, 'i.at, i.id')
  const text = `select at, ${hexId('id')} as id, nth from (select k.at, k.id, row_number() over () as nth from (${keys}) k) numbered
    order by nth desc limit 2`
  return { text: proveFirst(values, text, 'found.nth desc', list.proof), values: values.list }
}

async function findLastOfShards(queries: Queries, { limit, ...list }: ItemList): Promise<LastKeys> {
  const found: LastKeys = { count: 0, last: undefined, secondToLast: undefined }
  for (let query = list.query; found.count < limit; query = { ...query, before: found.last }) {
    const rows = Math.min(MAX_KEYS, limit - found.count)
    const keys = await listItems(queries, { ...list, query, limit: rows }, '', ([profileId, id, at]) => ({
      profileId,
      at,
      id: id!.replaceAll('-', ''),
    }))
    for (const { at, id } of keys.slice(-2)) {
      found.secondToLast = found.last
      found.last = { at, id }
    }
    found.count += keys.length
    if (keys.length < rows) break
  }
  return found
}

function writeSelect(values: Values, { readable, selection, query, limit }: ItemList, selected: string): string {
  const write =
    indexPredicate(new Values(values.isSharded), firstOf(readable), query) === undefined ? writeScan : writeSearch
  return write(values, readable, selection, query, limit, selected)
}

/** At least one row while the proof holds, possibly an empty one; otherwise none, and no item is read. */
function proveFirst(values: Values, text: string, order: string, proof: Proof | undefined): string {
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
    const from = shownItems(values, profile, { where: allPredicates(values, profile, selection, query) })
    return `(select ${selected} from ${from} order by ${orderBy(query, 'i.')} limit ${pageSize})`
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
    const inScan = [ofProfile(values, profile), ...scanPredicates(values, profile, selection, query)].join(' and ')
    const isMatch = [...matchPredicates(values, profile, query), ...exceptDuplicates(values, profile)].join(' and ')
    const indexed = indexLookup(indexPredicate(values, profile, query)!)
    const notIndexed = [...matchPredicatesWithoutSearch(values, profile, query), ...exceptDuplicates(values, profile)]
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
    (profile, n) => `select ${selected} from item i
      where ${ofProfile(values, profile)} and i.id = any(array(select id from keys where n = ${n}))`,
  )
  return `with ${searches.map(({ scans }) => scans).join(', ')},
    keys as materialized (
      select n, at, id from (${searches.map(({ keys }) => keys).join(' union all ')}) keys
      order by ${orderBy(query, '')} limit ${pageSize})
    select * from (${rows.join(' union all ')}) found order by ${orderBy(query, '')}`
}

function orderBy({ sort }: Query, table: string): string {
  return `${table}at ${sort}, ${table}id ${sort}`
}
