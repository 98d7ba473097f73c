import { type Queries, statement } from '#platform/postgres/database.ts'
import { FIRST_ITEM_ID, hexId } from '../keys/item-ids.ts'
import type { ProfileKey } from '../keys/profile-key.ts'

/** An item by the name that the app gave it, and when it was last written. */
export interface NamedItem {
  id: string
  endpoint: string
  nativeId: string
  updatedAt: number
}

const findUpdateTimes = statement(
  'own-updated-at',
  `select ${hexId('id')} as id, updated_at from item
   where shard = $shard and profile_id = $profileId and id = any($ids::uuid[])`,
)
const listNames = statement(
  'own-names',
  `select ${hexId('id')} as id, endpoint, native_id, updated_at from item
   where shard = $shard and profile_id = $profileId and id > $after::uuid order by id limit $limit`,
)
const findTombstone = statement(
  'own-tombstone',
  `select endpoint, native_id from item_tombstone
   where shard = $shard and profile_id = $profileId and id = $id::uuid limit 1`,
)

/** When these items were last written; those that are not stored are missing. */
export async function itemsUpdatedAt(
  queries: Queries,
  { shard, profileId }: ProfileKey,
  ids: string[],
): Promise<Map<string, number>> {
  const rows = await queries.rows<{ id: string; updated_at: number }>(findUpdateTimes.with({ shard, profileId, ids }))
  return new Map(rows.map(({ id, updated_at }) => [id, updated_at]))
}

/** A page of a profile's items in the order of their ids. */
export async function namedItemsAfter(
  queries: Queries,
  { shard, profileId }: ProfileKey,
  after: string | undefined,
  limit: number,
): Promise<NamedItem[]> {
  const rows = await queries.rows<{ id: string; endpoint: string; native_id: string; updated_at: number }>(
    listNames.with({ shard, profileId, after: after ?? FIRST_ITEM_ID, limit }),
  )
  return rows.map((row) => ({
    id: row.id,
    endpoint: row.endpoint,
    nativeId: row.native_id,
    updatedAt: row.updated_at,
  }))
}

/** The name of an item that was deleted; undefined when no such item was. */
export async function nameOfDeleted(
  queries: Queries,
  { shard, profileId }: ProfileKey,
  id: string,
): Promise<{ endpoint: string; nativeId: string } | undefined> {
  const [row] = await queries.rows<{ endpoint: string; native_id: string }>(
    findTombstone.with({ shard, profileId, id }),
  )
  return row && { endpoint: row.endpoint, nativeId: row.native_id }
}
