import type { Query, Selection } from '#model/items/query.ts'
import type { Queries } from '#platform/postgres/database.ts'
import type { ReadableProfile } from '../identity/readable-profiles.ts'
import type { ListedWithKeys } from './copies.ts'
import { type Counting, countShown } from './count-shown.ts'
import { type ItemList, listItems } from './list-items.ts'
import {
  allPredicates,
  indexPredicate,
  type Match,
  matchPredicatesWithoutSearch,
  scanPredicates,
  type Values,
} from './predicates.ts'

/** What is needed to compare items, beside their keys. */
export const COMPARED_COLUMNS = 'i.guid, i.types, i.author'

/** Lists the items that `queryItems` returns, but only what is needed to compare them. */
export function queryKeys(queries: Queries, list: ItemList): Promise<ListedWithKeys[]> {
  return listItems(queries, list, COMPARED_COLUMNS, toCompared)
}

function toCompared(
  row: [profileId: string, id: string | null, at: number, guid: string[], types: number, author: string | null],
): ListedWithKeys {
  const [profileId, id, at, guid, types, author] = row
  return { profileId, at, id: id!.replaceAll('-', ''), guid, types, author }
}

/** How many items match a query, without regard to its page. */
export async function countItems(
  queries: Queries,
  readable: readonly ReadableProfile[],
  selection: Selection,
  query: Query,
): Promise<number> {
  if (query.terms?.length === 0) return 0
  const counted = await countShown<{ n: number }>(queries, readable, countingOf(selection, query))
  return counted.reduce((sum, { n }) => sum + n, 0)
}

/** What `countItems` counts. */
export function countingOf(selection: Selection, query: Query): Counting {
  const whole = { ...query, before: undefined }
  return { by: {}, match: (values, profile) => matchesOf(values, profile, selection, whole) }
}

function matchesOf(values: Values, profile: ReadableProfile, selection: Selection, query: Query): Match {
  const lookup = indexPredicate(values, profile, query)
  if (lookup === undefined) return { where: allPredicates(values, profile, selection, query) }
  const others = matchPredicatesWithoutSearch(values, profile, query)
  return { lookup, where: [...scanPredicates(values, profile, selection, query), ...others] }
}
