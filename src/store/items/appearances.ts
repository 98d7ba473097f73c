import type { Queries } from '#platform/postgres/database.ts'
import { autoPrepare } from '#platform/postgres/statement-cache.ts'
import { exceptDuplicates, indexLookup, Values } from './predicates.ts'
import type { ReadableProfile } from './readable-profiles.ts'
import { buildSearchQuery } from './search-terms.ts'

/** Limit: items of one profile that are counted for one person; more count as this many. */
const MAX_COUNTED = 10_000

/** Counts the items of a profile in which one of these service users took part, by their types. */
export async function countAppearances(
  queries: Queries,
  profile: ReadableProfile,
  users: readonly string[],
): Promise<{ types: number; n: number }[]> {
  const values = new Values()
  const terms = buildSearchQuery(profile.profileId, { terms: [], people: [], authors: [], anyOf: users })
  const found = indexLookup([`i.words @@ (select ${values.add(terms)}::tsquery)`])
  const where = [
    `i.shard = ${values.add(profile.shard)}`,
    `i.profile_id = ${values.add(profile.profileId)}`,
    // The index knows people by a hash only.
    `i.participants && ${values.add(users)}::text[]`,
    'i.types <> 0',
    ...exceptDuplicates(values, profile.duplicates),
  ]
  const text = `select types, count(*) as n from (
      select i.types from ${found} i where ${where.join(' and ')} limit ${MAX_COUNTED}) counted
    group by types`
  return queries.rows(autoPrepare(text), values.list)
}
