import type { Queries } from '#platform/postgres/database.ts'
import type { ReadableProfile } from '../identity/readable-profiles.ts'
import { type Counting, countShown, type TimeRange } from './count-shown.ts'

/** How many items of one endpoint have exactly these types, and their range of time; null when there are none. */
export interface Counted {
  endpoint: string
  types: number
  n: number
  oldest: number | null
  newest: number | null
}

/** What is counted of a time range. Endpoints that only have items of other times are listed with 0. */
export function placesOf(range: TimeRange): Counting {
  return { by: { endpoint: 'i.endpoint', types: 'i.types' }, match: () => ({ where: [] }), range }
}

/** Counts the items of a time range by endpoint and types. */
export function countItemsOf(queries: Queries, profile: ReadableProfile, range: TimeRange): Promise<Counted[]> {
  return countShown<Counted>(queries, [profile], placesOf(range))
}
