import type { Profile } from '#model/accounts/profile.ts'
import type { Destination } from '#model/apps/destination.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import { unknownParameterFault } from '#model/item-filter/read.ts'
import { typeBits } from '#model/items/types.ts'
import type { ReadableProfile } from '#store/identity/readable-profiles.ts'
import type { ChangedItem, Tombstone } from '#store/items/changes.ts'
import { matchingItems } from '#store/items/match.ts'
import type { DeliverDeps } from './deps.ts'
import { type ItemPath, parseItemPath } from './item-path.ts'

/** Limit: paths in the filter of one destination; more are refused. */
const MAX_FILTERS = 50

/** The parsed filter of a destination: an item is delivered when at least one path matches. */
export type Filter = ItemPath[]

/** Refuses paths that can never match, with the reason that the read API gives for the same path. */
export function checkFilter({ registry }: Pick<DeliverDeps, 'registry'>, filter: string[]): string[] {
  if (filter.length === 0) throw invalidInput('bad_body', 'filter', 'give at least one path, or "*" for all.')
  if (filter.length > MAX_FILTERS) throw invalidInput('bad_body', 'filter', `at most ${MAX_FILTERS} paths.`)
  for (const path of filter) {
    parseItemPath(registry, path)
    // Only when it is set: a stored filter that an older release accepted stays in force.
    const fault = unknownParameterFault(new URLSearchParams(path.replace(/^[^?]*/, '')))
    if (fault !== undefined) throw invalidInput('bad_body', 'filter', `“${path}”: ${fault}`)
  }
  return filter
}

export function filterOf({ registry }: Pick<DeliverDeps, 'registry'>, { filter }: Pick<Destination, 'filter'>): Filter {
  return filter.flatMap((path) => {
    try {
      return [parseItemPath(registry, path)]
    } catch (error) {
      // The path of a service that the operator removed matches nothing; the other paths still apply.
      if (error instanceof ApiError) return []
      throw error
    }
  })
}

/** The paths that can match items of this profile. */
export function pathsFor(filter: Filter, profile: Profile): Filter {
  return filter.filter((path) => path.includesProfile(profile))
}

/** The ids among these items that at least one path matches. */
export async function wantedItems(
  { database }: Pick<DeliverDeps, 'database'>,
  { paths, readable }: { paths: Filter; readable: ReadableProfile },
  items: ChangedItem[],
): Promise<Set<string>> {
  const ids = items.map(({ id }) => id)
  if (ids.length === 0 || paths.some(({ selection, narrows }) => selection === undefined && !narrows))
    return new Set(ids)
  const wanted = new Set<string>()
  for (const path of paths) for (const id of await matchingItems(database, readable, path, ids)) wanted.add(id)
  return wanted
}

/** A tombstone has no types or contents any more, so only its endpoint can exclude it. */
export function wantsTombstone(paths: Filter, { endpoint }: Tombstone): boolean {
  return paths.some(
    ({ selection }) => selection === undefined || 'type' in selection || selection.endpoint === endpoint,
  )
}

/** Whether only search terms, times or people exclude the item: an earlier state of it may have matched. */
export function couldHaveWanted(paths: Filter, { types, endpoint }: ChangedItem): boolean {
  return paths.some(({ selection, narrows }) => {
    if (!narrows || selection === undefined) return narrows
    return 'type' in selection ? (types & typeBits([selection.type])) !== 0 : selection.endpoint === endpoint
  })
}
