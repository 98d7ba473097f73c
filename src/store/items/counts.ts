import { lastOf } from '#platform/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { isHiddenElsewhere, withoutHidden } from './hidden-copies.ts'
import { FIRST_ITEM_ID, hexId } from './item-ids.ts'
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

/** Limit: items that are in memory at once while those without a copy in another shard are counted. */
const MAX_BATCH = 5000
const listPlaces = statement(
  'item-places-after',
  `select ${hexId('id')} as id, endpoint, types, at from item
   where shard = $shard and profile_id = $profileId and id > $after::uuid order by id limit $limit`,
)

/** Counts the items of a time range. Endpoints that only have others are listed with 0. */
export async function countItemsOf(queries: Queries, profile: ReadableProfile, range: TimeRange): Promise<Counted[]> {
  if (isHiddenElsewhere(profile)) return countShown(queries, profile, range)
  const { text, values } = writeCounts(profile, range)
  return queries.rows<Counted>(statement(`item-counts-${profile.duplicates.length}`, text), values)
}

/** The statement of `countItemsOf` where all copies are in one shard. */
export function writeCounts(
  profile: ReadableProfile,
  { since, until }: TimeRange,
): { text: string; values: unknown[] } {
  const values = new Values()
  const isInRange = `at >= ${values.add(since)} and at <= ${values.add(until)}`
  const where = [
    `i.shard = ${values.add(profile.shard)}`,
    `i.profile_id = ${values.add(profile.profileId)}`,
    ...exceptDuplicates(values, profile),
  ]
  const text = `select endpoint, types, count(*) filter (where ${isInRange}) as n,
      min(at) filter (where ${isInRange}) as oldest, max(at) filter (where ${isInRange}) as newest from item i
    where ${where.join(' and ')} group by endpoint, types`
  return { text, values: values.list }
}

/** Reads the places of all items, to leave out those that a profile in another shard has too. */
async function countShown(queries: Queries, profile: ReadableProfile, { since, until }: TimeRange): Promise<Counted[]> {
  const counts = new Map<string, Counted>()
  for (let after = FIRST_ITEM_ID; ; ) {
    const { shard, profileId } = profile
    const found = await queries.rows<{ id: string; endpoint: string; types: number; at: number }>(
      listPlaces.with({ shard, profileId, after, limit: MAX_BATCH }),
    )
    for (const { endpoint, types, at } of await withoutHidden(queries, profile, found)) {
      const name = `${types} ${endpoint}`
      const known = counts.get(name) ?? { endpoint, types, n: 0, oldest: null, newest: null }
      counts.set(name, known)
      if (at < since || at > until) continue
      known.n += 1
      known.oldest = Math.min(at, known.oldest ?? at)
      known.newest = Math.max(at, known.newest ?? at)
    }
    if (found.length < MAX_BATCH) return [...counts.values()]
    after = lastOf(found).id
  }
}
