import { type Queries, statement } from '#platform/postgres/database.ts'
import { exceptDuplicates, Values } from './predicates.ts'
import type { ReadableProfile } from './readable-profiles.ts'

/** How many items of one endpoint have exactly these types, and their range of time; null when there are none. */
export interface Counted {
  endpoint: string
  types: number
  n: number
  oldest: number | null
  newest: number | null
}

/** Inclusive, epoch ms. */
export interface TimeRange {
  since: number
  until: number
}

/** Counts the items of a time range. Endpoints that only have others are listed with 0. */
export async function countItemsOf(
  queries: Queries,
  profile: ReadableProfile,
  { since, until }: TimeRange,
): Promise<Counted[]> {
  const values = new Values()
  const isInRange = `at >= ${values.add(since)} and at <= ${values.add(until)}`
  const where = [
    `i.shard = ${values.add(profile.shard)}`,
    `i.profile_id = ${values.add(profile.profileId)}`,
    ...exceptDuplicates(values, profile.duplicates),
  ]
  const text = `select endpoint, types, count(*) filter (where ${isInRange}) as n,
      min(at) filter (where ${isInRange}) as oldest, max(at) filter (where ${isInRange}) as newest from item i
    where ${where.join(' and ')} group by endpoint, types`
  return queries.rows<Counted>(statement(`item-counts-${profile.duplicates.length}`, text), values.list)
}
