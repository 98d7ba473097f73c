import type { Profile } from '#model/profile.ts'
import type { Query, Selection } from '#model/query.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { ProfileKey } from '../sync/schedule.ts'
import { hexId } from './item-ids.ts'
import { allPredicates, matchPredicates, Values } from './predicates.ts'
import type { ReadableProfile } from './readable-profiles.ts'

/** A path of the API as a filter of a profile's items; without a selection, of every endpoint and type. */
export interface ItemFilter {
  selection: Selection | undefined
  query: Query
}

const findExistingIds = statement(
  'item-existing-ids',
  `select ${hexId('id')} as id from item where shard = $shard and profile_id = $profileId and id = any($ids::uuid[])`,
)

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
  const values = new Values()
  const among = `i.id = any(${values.add(ids)}::uuid[])`
  const where = [among, ...filterPredicates(values, profile, { selection, query })].join(' and ')
  const rows = await queries.rows<{ id: string }>(
    { name: '', text: `select ${hexId('i.id')} as id from item i where ${where}` },
    values.list,
  )
  return rows.map(({ id }) => id)
}

/** How many of a profile's items match at least one of these filters, without those that `duplicate` has too. */
export async function countMatching(
  queries: Queries,
  profile: Profile,
  filters: ItemFilter[],
  duplicate?: ProfileKey,
): Promise<number> {
  const values = new Values()
  const base = `i.shard = ${values.add(profile.shard)} and i.profile_id = ${values.add(profile.id)}`
  const alternatives = filters
    .filter(({ query }) => query.terms?.length !== 0)
    .map((filter) => `(${filterPredicates(values, profile, filter).join(' and ')})`)
  if (alternatives.length === 0) return 0
  const alone =
    duplicate === undefined
      ? ''
      : ` and not exists (select 1 from item d where d.shard = ${values.add(duplicate.shard)}
          and d.profile_id = ${values.add(duplicate.profileId)} and d.id = i.id)`
  const [row] = await queries.rows<{ n: number }>(
    { name: '', text: `select count(*) as n from item i where ${base} and (${alternatives.join(' or ')})${alone}` },
    values.list,
  )
  return row?.n ?? 0
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

/** Which of these items another profile has too. */
export async function itemsOfProfiles(queries: Queries, key: ProfileKey, ids: string[]): Promise<string[]> {
  return (await queries.rows<{ id: string }>(findExistingIds.with({ ...key, ids }))).map(({ id }) => id)
}

function filterPredicates(values: Values, profile: Profile, { selection, query }: ItemFilter): string[] {
  const readable: ReadableProfile = {
    shard: profile.shard,
    profileId: profile.id,
    owner: profile.nativeId,
    service: profile.service,
    duplicates: [],
  }
  if (selection !== undefined) return allPredicates(values, readable, selection, query)
  return [
    `i.shard = ${values.add(profile.shard)}`,
    `i.profile_id = ${values.add(profile.id)}`,
    `i.at >= ${values.add(query.since)}`,
    `i.at <= ${values.add(query.until)}`,
    ...matchPredicates(values, readable, query),
  ]
}
