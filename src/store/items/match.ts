import type { Profile } from '#model/profile.ts'
import type { Query, Selection } from '#model/query.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { ProfileKey } from '../sync/schedule.ts'
import { clauses, matchPredicates, Values } from './predicates.ts'
import type { ReadableProfile } from './readable-profiles.ts'

/** A path of the API as a question about a profile's items; without a selection it asks of every endpoint and type. */
export interface Question {
  selection: Selection | undefined
  query: Query
}

const held = statement(
  'item-held',
  `select replace(id::text, '-', '') as id from item where shard = $1 and profile_id = $2 and id = any($3::uuid[])`,
)

/** Those of these items that a question would find, whatever their place in its order. */
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
  const where = [among, ...asked(values, profile, { selection, query })].join(' and ')
  const rows = await queries.rows<{ id: string }>(
    { name: '', text: `select replace(i.id::text, '-', '') as id from item i where ${where}` },
    values.list,
  )
  return rows.map(({ id }) => id)
}

/** How many of a profile's items at least one of these questions finds. */
export async function countMatching(queries: Queries, profile: Profile, questions: Question[]): Promise<number> {
  const values = new Values()
  const base = `i.shard = ${values.add(profile.shard)} and i.profile_id = ${values.add(profile.id)}`
  const any = questions
    .filter(({ query }) => query.terms?.length !== 0)
    .map((question) => `(${asked(values, profile, question).join(' and ')})`)
  if (any.length === 0) return 0
  const [row] = await queries.rows<{ n: number }>(
    { name: '', text: `select count(*) as n from item i where ${base} and (${any.join(' or ')})` },
    values.list,
  )
  return row?.n ?? 0
}

/** Those of these items that another profile has too. */
export async function itemsOfProfiles(queries: Queries, key: ProfileKey, ids: string[]): Promise<string[]> {
  return (await queries.rows<{ id: string }>(held, [key.shard, key.profileId, ids])).map(({ id }) => id)
}

function asked(values: Values, profile: Profile, { selection, query }: Question): string[] {
  const readable: ReadableProfile = {
    shard: profile.shard,
    profileId: profile.id,
    owner: profile.nativeId,
    service: profile.service,
    duplicates: [],
  }
  if (selection !== undefined) return clauses(values, readable, selection, query)
  return [
    `i.shard = ${values.add(profile.shard)}`,
    `i.profile_id = ${values.add(profile.id)}`,
    `i.at >= ${values.add(query.since)}`,
    `i.at <= ${values.add(query.until)}`,
    ...matchPredicates(values, readable, query),
  ]
}
