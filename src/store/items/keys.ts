import { AccountChanged } from '#model/account.ts'
import type { ItemKey, Query, Selection } from '#model/query.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { autoPrepare } from '#platform/postgres/statement-cache.ts'
import { isSharded } from '../cluster/is-sharded.ts'
import type { Proof } from '../identity/access-tokens.ts'
import type { ComparedItem } from './copies.ts'
import { refuseForeign } from './foreign-rows.ts'
import { hexId } from './item-ids.ts'
import {
  allPredicates,
  indexLookup,
  indexPredicate,
  matchPredicatesWithoutSearch,
  scanPredicates,
  Values,
} from './predicates.ts'
import { orderBy, proveFirst, writeSelect } from './query.ts'
import { batchesOfHidden, isOneStatement, type ReadShard, readShards, shardsOf, splitByCopies } from './read-shards.ts'
import type { ReadableProfile } from './readable-profiles.ts'

/** The last of a number of items, and the one before it. */
export interface LastKeys {
  count: number
  last: ItemKey | undefined
  secondToLast: ItemKey | undefined
}

/** Limit: keys that are in memory at once while the end of a page is looked for in several shards. */
const MAX_KEYS = 2000

/** Finds the end of the first `limit` items without reading their documents. The database keeps two keys at a time. */
export async function findLastKeys(
  queries: Queries,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  limit: number,
  proof: Proof | undefined,
): Promise<LastKeys> {
  if (!isOneStatement(queries, readable, proof))
    return findLastOfShards(queries, readable, selection, query, limit, proof)
  const { text, values } = writeLastKeys(await isSharded(queries), readable, selection, query, limit, proof)
  const rows = await queries.rows<{ at: number; id: string | null; nth: number }>(autoPrepare(text), values)
  if (proof !== undefined && rows.length === 0) throw new AccountChanged()
  const [last, secondToLast] = rows.flatMap(({ at, id }) => (id === null ? [] : [{ at, id }]))
  return { count: last === undefined ? 0 : rows[0]!.nth, last, secondToLast }
}

/** The statement of `findLastKeys` for profiles in one shard. */
export function writeLastKeys(
  sharded: boolean,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  limit: number,
  proof: Proof | undefined,
): { text: string; values: unknown[] } {
  const values = new Values(sharded)
  const keys = writeSelect(values, readable, selection, query, limit, 'i.at, i.id')
  const text = `select at, ${hexId('id')} as id, nth from (select k.at, k.id, row_number() over () as nth from (${keys}) k) numbered
    order by nth desc limit 2`
  return { text: proveFirst(values, text, 'found.nth desc', proof), values: values.list }
}

async function findLastOfShards(
  queries: Queries,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  limit: number,
  proof: Proof | undefined,
): Promise<LastKeys> {
  const found: LastKeys = { count: 0, last: undefined, secondToLast: undefined }
  for (let page = query; found.count < limit; page = { ...page, before: found.last }) {
    const rows = Math.min(MAX_KEYS, limit - found.count)
    const keys = await queryKeys(queries, readable, selection, page, rows, proof)
    for (const { at, id } of keys.slice(-2)) {
      found.secondToLast = found.last
      found.last = { at, id }
    }
    found.count += keys.length
    if (keys.length < rows) break
  }
  return found
}

/** The same items as `queryItems` returns, but only what is needed to compare them. */
export async function queryKeys(
  queries: Queries,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  limit: number,
  proof: Proof | undefined,
): Promise<ComparedItem[]> {
  const sharded = await isSharded(queries)
  return readShards(queries, readable, query, limit, proof, (group, page, rows, inStatement) =>
    keysOfShard(queries, sharded, group, selection, page, rows, inStatement),
  )
}

async function keysOfShard(
  queries: Queries,
  sharded: boolean,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  limit: number,
  proof?: Proof,
): Promise<ComparedItem[]> {
  const { text, values } = writeKeys(sharded, readable, selection, query, limit, proof)
  const rows = await queries.rows<{ profile_id: string; at: number; id: string | null; guid: string[] }>(
    autoPrepare(text),
    values,
  )
  if (proof !== undefined && rows.length === 0) throw new AccountChanged()
  const own = new Set(readable.map(({ profileId }) => profileId))
  return rows.flatMap(({ profile_id: profileId, at, id, guid }) => {
    if (id === null) return []
    refuseForeign(own, profileId)
    return [{ profileId, at, id: id.replaceAll('-', ''), guid }]
  })
}

/** The statement of `queryKeys` for profiles in one shard. */
export function writeKeys(
  sharded: boolean,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  limit: number,
  proof: Proof | undefined,
): { text: string; values: unknown[] } {
  const values = new Values(sharded)
  const text = writeSelect(values, readable, selection, query, limit, 'i.profile_id, i.at, i.id, i.guid')
  return { text: proveFirst(values, text, orderBy(query, 'found.'), proof), values: values.list }
}

/** How many items match a query, without regard to its page. */
export async function countItems(
  queries: Queries,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
): Promise<number> {
  if (readable.length === 0 || query.terms?.length === 0) return 0
  const whole = { ...query, before: undefined }
  const sharded = await isSharded(queries)
  const { open, hidden } = splitByCopies(readable)
  let count = 0
  for (const group of shardsOf(open)) {
    const { text, values } = writeCount(sharded, group, selection, whole)
    const [row] = await queries.rows<{ n: number }>(autoPrepare(text), values)
    count += row!.n
  }
  for (const group of shardsOf(hidden)) {
    const read: ReadShard<ComparedItem> = (profiles, page, rows) =>
      keysOfShard(queries, sharded, profiles, selection, page, rows)
    for await (const { shown } of batchesOfHidden(queries, group, whole, MAX_KEYS, read)) count += shown.length
  }
  return count
}

/** The statement of `countItems` for profiles in one shard. */
export function writeCount(
  sharded: boolean,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
): { text: string; values: unknown[] } {
  const values = new Values(sharded)
  const counts = readable.map((profile) => `(select count(*) from ${matches(values, profile, selection, query)})`)
  return { text: `select ${counts.join(' + ')} as n`, values: values.list }
}

function matches(values: Values, profile: ReadableProfile, selection: Selection, query: Query): string {
  const indexed = indexPredicate(values, profile, query)
  if (indexed === undefined) return `item i where ${allPredicates(values, profile, selection, query).join(' and ')}`
  const others = [
    ...scanPredicates(values, profile, selection, query),
    ...matchPredicatesWithoutSearch(values, profile, query),
  ]
  return `${indexLookup(indexed)} i where ${others.join(' and ')}`
}
