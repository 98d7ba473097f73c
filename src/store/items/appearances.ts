import type { Queries } from '#platform/postgres/database.ts'
import type { ReadableProfile } from '../identity/readable-profiles.ts'
import { type Counting, countShown } from './count-shown.ts'
import { shardOfWords } from './predicates.ts'
import { buildSearchQuery } from './search-terms.ts'

/** Limit: items of one profile that are counted for one person; more count as this many. */
const MAX_COUNTED = 10_000

/** Counts the items of a profile in which one of these service users took part, by their types. */
export function countAppearances(
  queries: Queries,
  profile: ReadableProfile,
  users: readonly string[],
): Promise<{ types: number; n: number }[]> {
  return countShown(queries, [profile], appearancesOf(users))
}

/** The items in which one of these service users took part. */
export function appearancesOf(users: readonly string[]): Counting {
  return {
    by: { types: 'i.types' },
    match: (values, profile) => {
      const terms = buildSearchQuery(profile.profileId, { terms: [], people: [], authors: [], anyOf: users })
      return {
        lookup: [...shardOfWords(values, profile), `i.words @@ (select ${values.add(terms)}::tsquery)`],
        // The index knows people by a hash only.
        where: [`i.participants && ${values.add(users)}::text[]`, 'i.types <> 0'],
      }
    },
    atMost: MAX_COUNTED,
  }
}
