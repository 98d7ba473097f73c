import { type Queries, statement } from '#platform/postgres/database.ts'
import { exceptDuplicates, Values } from './predicates.ts'
import type { ReadableProfile } from './readable-profiles.ts'

/** How many items of one endpoint have exactly these types, and their range of time. */
export interface Counted {
  endpoint: string
  types: number
  n: number
  oldest: number
  newest: number
}

export async function countItemsOf(queries: Queries, profile: ReadableProfile): Promise<Counted[]> {
  const values = new Values()
  const where = [
    `i.shard = ${values.add(profile.shard)}`,
    `i.profile_id = ${values.add(profile.profileId)}`,
    ...exceptDuplicates(values, profile.duplicates),
  ]
  const text = `select endpoint, types, count(*) as n, min(at) as oldest, max(at) as newest from item i
    where ${where.join(' and ')} group by endpoint, types`
  return queries.rows<Counted>(statement(`item-counts-${profile.duplicates.length}`, text), values.list)
}
