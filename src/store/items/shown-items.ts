import { profilesBefore, type ReadableProfile } from '../identity/readable-profiles.ts'
import type { Match, Values } from './predicates.ts'

/** What follows `from`: the items of a profile that match and that no copy in the same shard hides. */
export function shownItems(values: Values, profile: ReadableProfile, { where, lookup }: Match): string {
  const items = lookup === undefined ? 'item' : indexLookup(lookup)
  const all = [ofProfile(values, profile), ...where, ...exceptDuplicates(values, profile)]
  return `${items} i where ${all.join(' and ')}`
}

export function ofProfile(values: Values, { shard, profileId }: ReadableProfile): string {
  return `i.shard = ${values.add(shard)} and i.profile_id = ${values.add(profileId)}`
}

const NONE: string[] = []

/** Leaves out items that a merge made available from another profile as well. `withoutHidden` finds those in other shards. */
export function exceptDuplicates(values: Values, profile: ReadableProfile): string[] {
  const before = profilesBefore(profile)
  if (before.length === 0) return NONE
  const { shard } = profile
  return before
    .filter((duplicate) => duplicate.shard === shard)
    .map(
      ({ profileId }) =>
        `not exists (select 1 from item d
          where d.shard = ${values.add(shard)} and d.profile_id = ${values.add(profileId)} and d.id = i.id)`,
    )
}

/** A limit that is never reached, in a subquery so that the planner does not know its value. */
export const UNLIMITED = '(select 1000000000000)'

/**
 * A subquery of its own for one index, so that the planner uses no other. In a large store the planner expects
 * thousands of matches and would JIT-compile the statement each time, at a hundred times its cost; each unknown limit
 * divides its estimate by ten.
 */
export function indexLookup(predicates: readonly string[]): string {
  const matching = `select i.* from item i where ${predicates.join(' and ')} limit ${UNLIMITED}`
  return `(select * from (${matching}) i limit ${UNLIMITED})`
}
