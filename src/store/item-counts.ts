import { type Queries, statement } from './database.ts'
import { notHeldBy, Values } from './item-clauses.ts'
import type { Readable } from './readable.ts'

/** How many items of one endpoint have exactly these types, and from when to when. */
export interface Counted {
  endpoint: string
  types: number
  n: number
  oldest: number
  newest: number
}

export async function countItemsOf(queries: Queries, profile: Readable): Promise<Counted[]> {
  const values = new Values()
  const where = [
    `i.part = ${values.add(profile.part)}`,
    `i.profile_id = ${values.add(profile.profileId)}`,
    ...notHeldBy(values, profile.twins),
  ]
  const text = `select endpoint, types, count(*) as n, min(at) as oldest, max(at) as newest from item i where ${where.join(' and ')} group by endpoint, types`
  return queries.rows<Counted>(statement(`item-counts-${profile.twins.length}`, text), values.list)
}
