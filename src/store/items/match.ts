import type { Profile } from '#model/profile.ts'
import type { Query, Selection } from '#model/query.ts'
import { lastOf } from '#platform/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { ProfileKey } from '../sync/schedule.ts'
import { withoutHidden } from './hidden-copies.ts'
import { FIRST_ITEM_ID, hexId } from './item-ids.ts'
import { allPredicates, exceptDuplicates, matchPredicates, Values } from './predicates.ts'
import type { ReadableProfile } from './readable-profiles.ts'

/** A path of the API as a filter of a profile's items; without a selection, of every endpoint and type. */
export interface ItemFilter {
  selection: Selection | undefined
  query: Query
}

const findTypes = statement(
  'item-types-by-id',
  `select ${hexId('id')} as id, types from item
   where shard = $shard and profile_id = $profileId and id = any($ids::uuid[])`,
)

/** Which of these items match a query, without regard to its page. */
export async function matchingItems(
  queries: Queries,
  profile: Profile,
  selection: Selection | undefined,
  query: Query,
  ids: string[],
): Promise<string[]> {
  if (query.terms?.length === 0) return []
  const { text, values } = writeMatching(profile, selection, query, ids)
  const rows = await queries.rows<{ id: string }>({ name: '', text }, values)
  return rows.map(({ id }) => id)
}

/** The statement of `matchingItems`. */
export function writeMatching(
  profile: Profile,
  selection: Selection | undefined,
  query: Query,
  ids: string[],
): { text: string; values: unknown[] } {
  const values = new Values()
  const among = `i.id = any(${values.add(ids)}::uuid[])`
  const where = [among, ...filterPredicates(values, profile, { selection, query })].join(' and ')
  return { text: `select ${hexId('i.id')} as id from item i where ${where}`, values: values.list }
}

/** Limit: items that are in memory at once while those without a copy in another shard are counted. */
const MAX_BATCH = 5000

/** How many of a profile's items match at least one of these filters, without those that `duplicate` has too. */
export async function countMatching(
  queries: Queries,
  profile: Profile,
  filters: ItemFilter[],
  duplicate?: ProfileKey,
): Promise<number> {
  const usable = filters.filter(({ query }) => query.terms?.length !== 0)
  if (usable.length === 0) return 0
  if (duplicate !== undefined && duplicate.shard !== profile.shard)
    return countWithoutCopies(queries, profile, usable, duplicate)
  const { text, values } = writeMatchCount(profile, usable, duplicate)
  const [row] = await queries.rows<{ n: number }>({ name: '', text }, values)
  return row?.n ?? 0
}

/** The statement of `countMatching` where the duplicate is in the same shard. */
export function writeMatchCount(
  profile: Profile,
  filters: ItemFilter[],
  duplicate?: ProfileKey,
): { text: string; values: unknown[] } {
  const values = new Values()
  const where = [
    ...anyOfFilters(values, profile, filters),
    ...exceptDuplicates(values, readableOf(profile, duplicate === undefined ? [] : [duplicate])),
  ]
  return { text: `select count(*) as n from item i where ${where.join(' and ')}`, values: values.list }
}

async function countWithoutCopies(
  queries: Queries,
  profile: Profile,
  filters: ItemFilter[],
  duplicate: ProfileKey,
): Promise<number> {
  let count = 0
  for (let after = FIRST_ITEM_ID; ; ) {
    const values = new Values()
    const where = [...anyOfFilters(values, profile, filters), `i.id > ${values.add(after)}::uuid`]
    const text = `select ${hexId('i.id')} as id from item i where ${where.join(' and ')} order by i.id limit ${MAX_BATCH}`
    const found = await queries.rows<{ id: string }>({ name: '', text }, values.list)
    count += (await withoutHidden(queries, { duplicates: [duplicate] }, found)).length
    if (found.length < MAX_BATCH) return count
    after = lastOf(found).id
  }
}

function anyOfFilters(values: Values, profile: Profile, filters: ItemFilter[]): string[] {
  const alternatives = filters.map((filter) => `(${filterPredicates(values, profile, filter).join(' and ')})`)
  return [
    `i.shard = ${values.add(profile.shard)}`,
    `i.profile_id = ${values.add(profile.id)}`,
    `(${alternatives.join(' or ')})`,
  ]
}

/** The types of those of these items that a profile has. */
export async function typesOfItems(
  queries: Queries,
  { shard, profileId }: ProfileKey,
  ids: string[],
): Promise<Map<string, number>> {
  const rows = await queries.rows<{ id: string; types: number }>(findTypes.with({ shard, profileId, ids }))
  return new Map(rows.map(({ id, types }) => [id, types]))
}

function filterPredicates(values: Values, profile: Profile, { selection, query }: ItemFilter): string[] {
  const readable = readableOf(profile, [])
  if (selection !== undefined) return allPredicates(values, readable, selection, query)
  return [
    `i.shard = ${values.add(profile.shard)}`,
    `i.profile_id = ${values.add(profile.id)}`,
    `i.at >= ${values.add(query.since)}`,
    `i.at <= ${values.add(query.until)}`,
    ...matchPredicates(values, readable, query),
  ]
}

function readableOf({ shard, id, nativeId, service }: Profile, duplicates: ProfileKey[]): ReadableProfile {
  return { shard, profileId: id, owner: nativeId, service, duplicates }
}
