import type { Query, Selection } from '#model/items/query.ts'
import type { Queries } from '#platform/postgres/database.ts'
import type { ReadableProfile } from '../identity/readable-profiles.ts'
import { type Counting, countShown } from './count-shown.ts'
import { matchingAmong } from './items-by-id.ts'
import { allPredicates, matchPredicates, type Values } from './predicates.ts'

/** A path of the API as a filter of a profile's items; without a selection, of every endpoint and type. */
export interface ItemFilter {
  selection: Selection | undefined
  query: Query
}

/** Which of these items match a filter, without regard to its page. */
export async function matchingItems(
  queries: Queries,
  profile: ReadableProfile,
  filter: ItemFilter,
  ids: readonly string[],
): Promise<string[]> {
  if (filter.query.terms?.length === 0) return []
  return matchingAmong(queries, profile, ids, (values) => filterPredicates(values, profile, filter))
}

/** How many of a profile's items match at least one of these filters. */
export async function countMatching(
  queries: Queries,
  profile: ReadableProfile,
  filters: readonly ItemFilter[],
): Promise<number> {
  const usable = filters.filter(({ query }) => query.terms?.length !== 0)
  if (usable.length === 0) return 0
  const [counted] = await countShown<{ n: number }>(queries, [profile], anyOfFilters(usable))
  return counted?.n ?? 0
}

/** What `countMatching` counts. */
export function anyOfFilters(filters: readonly ItemFilter[]): Counting {
  return {
    by: {},
    match: (values, profile) => {
      const alternatives = filters.map((filter) => `(${filterPredicates(values, profile, filter).join(' and ')})`)
      return { where: [`(${alternatives.join(' or ')})`] }
    },
  }
}

export function filterPredicates(values: Values, profile: ReadableProfile, { selection, query }: ItemFilter): string[] {
  if (selection !== undefined) return allPredicates(values, profile, selection, query)
  return [
    `i.at >= ${values.add(query.since)}`,
    `i.at <= ${values.add(query.until)}`,
    ...matchPredicates(values, profile, query),
  ]
}
