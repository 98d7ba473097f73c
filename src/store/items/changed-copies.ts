import { type Queries, statement } from '#platform/postgres/database.ts'
import type { ReadableProfile } from '../identity/readable-profiles.ts'
import { hexId } from '../keys/item-ids.ts'
import type { ChangeKey } from './change-keys.ts'

/** A change, and what a reader gets of it. */
export interface Decided {
  profile: ReadableProfile
  key: ChangeKey
  time: number
  change: 'upsert' | 'delete' | 'none'
}

export interface Resolved extends Decided {
  /** The item to present for an `upsert`. */
  put: { profile: ReadableProfile; id: string } | undefined
}

const findTypes = statement(
  'item-types-by-id',
  `select ${hexId('id')} as id, types from item
   where shard = $shard and profile_id = $profileId and id = any($ids::uuid[])`,
)

/**
 * After a merge, several profiles of one service user may have a copy of an item, and the one of the first profile is read.
 * A change of a hidden copy is none; where a copy was deleted, the next one appears.
 */
export async function resolveCopies(
  queries: Queries,
  readable: readonly ReadableProfile[],
  decided: readonly Decided[],
  bits: number | undefined,
): Promise<Resolved[]> {
  const groups = Map.groupBy(readable, nameOf)
  const typesIn = new Map<ReadableProfile, Map<string, number>>()
  for (const [name, changes] of Map.groupBy(decided, ({ profile }) => nameOf(profile))) {
    const group = groups.get(name) ?? []
    if (group.length < 2) continue
    const ids = [...new Set(changes.map(({ key }) => key.id))]
    for (const profile of group) typesIn.set(profile, await typesOfItems(queries, profile, ids))
  }
  return decided.map((each) => {
    const { profile, key, change } = each
    const group = groups.get(nameOf(profile)) ?? []
    const shown = group.find((copy) => typesIn.get(copy)?.has(key.id))
    if (change === 'none' || group.length < 2) return { ...each, put: putOf(each, profile) }
    if (shown === undefined || shown === profile) return { ...each, put: putOf(each, profile) }
    const isBefore = group.indexOf(shown) < group.indexOf(profile)
    if (isBefore) return { ...each, change: 'none', put: undefined }
    // A later copy is shown because this one was deleted, or is about to be.
    const types = typesIn.get(shown)?.get(key.id) ?? 0
    const isWanted = bits === undefined || (types & bits) !== 0
    const resolved: Decided = { ...each, change: isWanted ? 'upsert' : 'delete' }
    return { ...resolved, put: putOf(resolved, shown) }
  })
}

async function typesOfItems(
  queries: Queries,
  { shard, profileId }: ReadableProfile,
  ids: string[],
): Promise<Map<string, number>> {
  const rows = await queries.rows<{ id: string; types: number }>(findTypes.with({ shard, profileId, ids }))
  return new Map(rows.map(({ id, types }) => [id, types]))
}

function putOf({ change, key }: Decided, profile: ReadableProfile): Resolved['put'] {
  return change === 'upsert' ? { profile, id: key.id } : undefined
}

function nameOf({ service, owner }: ReadableProfile): string {
  return `${service} ${owner}`
}
