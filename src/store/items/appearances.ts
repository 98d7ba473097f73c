import { lastOf } from '#platform/list-ends.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { autoPrepare } from '#platform/postgres/statement-cache.ts'
import { isSharded } from '../cluster/is-sharded.ts'
import { isHiddenElsewhere, withoutHidden } from './hidden-copies.ts'
import { FIRST_ITEM_ID, hexId } from './item-ids.ts'
import { exceptDuplicates, indexLookup, shardOfWords, Values } from './predicates.ts'
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
  const sharded = await isSharded(queries)
  if (isHiddenElsewhere(profile)) return countShown(queries, sharded, profile, users)
  const { text, values } = writeAppearances(sharded, profile, users)
  return queries.rows(autoPrepare(text), values)
}

/** The statement of `countAppearances` where all copies are in one shard. */
export function writeAppearances(
  sharded: boolean,
  profile: ReadableProfile,
  users: readonly string[],
): { text: string; values: unknown[] } {
  const values = new Values(sharded)
  const from = appearancesOf(values, profile, users)
  const text = `select types, count(*) as n from (select i.types from ${from} limit ${MAX_COUNTED}) counted group by types`
  return { text, values: values.list }
}

/** Reads the ids as well, to leave out those that a profile in another shard has too. */
async function countShown(
  queries: Queries,
  sharded: boolean,
  profile: ReadableProfile,
  users: readonly string[],
): Promise<{ types: number; n: number }[]> {
  const counts = new Map<number, number>()
  let counted = 0
  for (let after = FIRST_ITEM_ID; counted < MAX_COUNTED; ) {
    const values = new Values(sharded)
    const from = appearancesOf(values, profile, users)
    const text = `select ${hexId('i.id')} as id, i.types from ${from} and i.id > ${values.add(after)}::uuid
      order by i.id limit ${MAX_COUNTED}`
    const found = await queries.rows<{ id: string; types: number }>(autoPrepare(text), values.list)
    const shown = (await withoutHidden(queries, profile, found)).slice(0, MAX_COUNTED - counted)
    for (const { types } of shown) counts.set(types, (counts.get(types) ?? 0) + 1)
    counted += shown.length
    if (found.length < MAX_COUNTED) break
    after = lastOf(found).id
  }
  return [...counts].map(([types, n]) => ({ types, n }))
}

function appearancesOf(values: Values, profile: ReadableProfile, users: readonly string[]): string {
  const terms = buildSearchQuery(profile.profileId, { terms: [], people: [], authors: [], anyOf: users })
  const found = indexLookup([...shardOfWords(values, profile), `i.words @@ (select ${values.add(terms)}::tsquery)`])
  const where = [
    `i.shard = ${values.add(profile.shard)}`,
    `i.profile_id = ${values.add(profile.profileId)}`,
    // The index knows people by a hash only.
    `i.participants && ${values.add(users)}::text[]`,
    'i.types <> 0',
    ...exceptDuplicates(values, profile),
  ]
  return `${found} i where ${where.join(' and ')}`
}
