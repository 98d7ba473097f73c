import { AccountChanged } from '#model/account.ts'
import type { ItemKey, Query, Selection } from '#model/query.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { autoPrepare } from '#platform/postgres/statement-cache.ts'
import type { Proof } from '../identity/access-tokens.ts'
import type { ComparedItem } from './copies.ts'
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
import type { ReadableProfile } from './readable-profiles.ts'

/** The last of a number of items, and the one before it. */
export interface LastKeys {
  count: number
  last: ItemKey | undefined
  secondToLast: ItemKey | undefined
}

/** Finds the end of the first `limit` items without reading their documents. The database keeps two keys at a time. */
export async function findLastKeys(
  queries: Queries,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
  limit: number,
  proof: Proof | undefined,
): Promise<LastKeys> {
  const values = new Values()
  const keys = writeSelect(values, readable, selection, query, limit, 'i.at, i.id')
  const text = `select at, ${hexId('id')} as id, nth from (select k.at, k.id, row_number() over () as nth from (${keys}) k) numbered
    order by nth desc limit 2`
  const rows = await queries.rows<{ at: number; id: string | null; nth: number }>(
    autoPrepare(proveFirst(values, text, 'found.nth desc', proof)),
    values.list,
  )
  if (proof !== undefined && rows.length === 0) throw new AccountChanged()
  const [last, secondToLast] = rows.flatMap(({ at, id }) => (id === null ? [] : [{ at, id }]))
  return { count: last === undefined ? 0 : rows[0]!.nth, last, secondToLast }
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
  const values = new Values()
  const text = writeSelect(values, readable, selection, query, limit, 'i.profile_id, i.at, i.id, i.guid')
  const rows = await queries.rows<{ profile_id: string; at: number; id: string | null; guid: string[] }>(
    autoPrepare(proveFirst(values, text, orderBy(query, 'found.'), proof)),
    values.list,
  )
  if (proof !== undefined && rows.length === 0) throw new AccountChanged()
  return rows.flatMap(({ profile_id: profileId, at, id, guid }) =>
    id === null ? [] : [{ profileId, at, id: id.replaceAll('-', ''), guid }],
  )
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
  const values = new Values()
  const counts = readable.map((profile) => `(select count(*) from ${matches(values, profile, selection, whole)})`)
  const [row] = await queries.rows<{ n: number }>(autoPrepare(`select ${counts.join(' + ')} as n`), values.list)
  return row!.n
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
