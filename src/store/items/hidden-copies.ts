import { type Queries, statement } from '#platform/postgres/database.ts'
import type { ProfileKey } from '../sync/schedule.ts'
import { refuseForeign } from './foreign-rows.ts'
import { hexId } from './item-ids.ts'
import type { ReadableProfile } from './readable-profiles.ts'

const findExistingIds = statement(
  'item-existing-ids',
  `select ${hexId('id')} as id from item where shard = $shard and profile_id = $profileId and id = any($ids::uuid[])`,
)

/** Which of these items a profile has. */
export async function itemsOfProfiles(
  queries: Queries,
  { shard, profileId }: ProfileKey,
  ids: string[],
): Promise<string[]> {
  if (ids.length === 0) return []
  return (await queries.rows<{ id: string }>(findExistingIds.with({ shard, profileId, ids }))).map(({ id }) => id)
}

/** Whether items of the profile are hidden by copies in another shard, which no statement on its own shard sees. */
export function isHiddenElsewhere({ shard, duplicates }: ReadableProfile): boolean {
  return duplicates.some((duplicate) => duplicate.shard !== shard)
}

/** Leaves out items of one profile that a profile which takes precedence has too. */
export async function withoutHidden<Item extends { id: string }>(
  queries: Queries,
  { duplicates }: Pick<ReadableProfile, 'duplicates'>,
  items: readonly Item[],
): Promise<Item[]> {
  let shown = [...items]
  for (const duplicate of duplicates) {
    const ids = shown.map(({ id }) => id)
    const hidden = new Set(await itemsOfProfiles(queries, duplicate, ids))
    shown = shown.filter(({ id }) => !hidden.has(id))
  }
  return shown
}

/** The same for items of several profiles; keeps their order. */
export async function withoutHiddenOf<Item extends { id: string; profileId: string }>(
  queries: Queries,
  readable: readonly ReadableProfile[],
  items: readonly Item[],
): Promise<Item[]> {
  const asked = new Set(readable.map(({ profileId }) => profileId))
  const shown = new Set<Item>()
  for (const [profileId, own] of Map.groupBy(items, (item) => item.profileId)) {
    refuseForeign(asked, profileId)
    const profile = readable.find((each) => each.profileId === profileId)!
    for (const item of await withoutHidden(queries, profile, own)) shown.add(item)
  }
  return items.filter((item) => shown.has(item))
}
