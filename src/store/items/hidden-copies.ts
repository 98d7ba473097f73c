import { type Queries, statement } from '#platform/postgres/database.ts'
import { profilesBefore, type ReadableProfile } from '../identity/readable-profiles.ts'
import { hexId } from '../keys/item-ids.ts'
import { refuseForeign } from './foreign-rows.ts'

const findExistingIds = statement(
  'item-existing-ids',
  `select ${hexId('id')} as id from item where shard = $shard and profile_id = $profileId and id = any($ids::uuid[])`,
)

/** Whether items of the profile are hidden by copies in another shard, which no statement on its own shard sees. */
export function isHiddenElsewhere(profile: ReadableProfile): boolean {
  return profilesBefore(profile).some(({ shard }) => shard !== profile.shard)
}

/** Leaves out items of one profile that a profile which takes precedence has too. */
export async function withoutHidden<Item extends { id: string }>(
  queries: Queries,
  profile: ReadableProfile,
  items: readonly Item[],
): Promise<Item[]> {
  let shown = [...items]
  for (const { shard, profileId } of profilesBefore(profile)) {
    if (shown.length === 0) break
    const ids = shown.map(({ id }) => id)
    const rows = await queries.rows<{ id: string }>(findExistingIds.with({ shard, profileId, ids }))
    const hidden = new Set(rows.map(({ id }) => id))
    shown = shown.filter(({ id }) => !hidden.has(id))
  }
  return shown
}

/** Like `withoutHidden`, for items of several profiles; keeps their order. */
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
