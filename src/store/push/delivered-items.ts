import { type Queries, statement } from '#platform/postgres/database.ts'
import { countInShards } from '../each-shard.ts'
import { hexId } from '../keys/item-ids.ts'
import type { CursorKey } from './cursors.ts'

const insert = statement(
  'delivered-insert',
  `insert into delivered_item (shard, profile_id, destination_id, item_id)
   select $shard, $profileId, $destinationId, unnest($itemIds::uuid[]) on conflict do nothing`,
)
const findAmong = statement(
  'delivered-among',
  `select ${hexId('item_id')} as id from delivered_item
   where shard = $shard and profile_id = $profileId and destination_id = $destinationId
     and item_id = any($itemIds::uuid[])`,
)
const removeOfProfile = statement(
  'delivered-forget',
  'delete from delivered_item where shard = $shard and profile_id = $profileId and destination_id = $destinationId',
)
const removeOfDestination = statement(
  'delivered-drop',
  'delete from delivered_item where shard = $shard and destination_id = $destinationId',
)
const findShards = statement(
  'delivered-shards',
  'select distinct shard from delivered_item where destination_id = $destinationId',
)

/** Call it before the delivery, so that a crash leaves no item that the destination has and this does not know. */
export async function recordItems(
  queries: Queries,
  { shard, profileId, destinationId }: CursorKey,
  itemIds: string[],
): Promise<void> {
  if (itemIds.length > 0) await queries.count(insert.with({ shard, profileId, destinationId, itemIds }))
}

/** Which of these items the destination may have, or had. */
export async function recordedAmong(
  queries: Queries,
  { shard, profileId, destinationId }: CursorKey,
  itemIds: string[],
): Promise<Set<string>> {
  if (itemIds.length === 0) return new Set()
  const rows = await queries.rows<{ id: string }>(findAmong.with({ shard, profileId, destinationId, itemIds }))
  return new Set(rows.map(({ id }) => id))
}

/** Removes all records of a profile that was deleted. */
export async function forgetRecordedItems(tx: Queries, { shard, profileId, destinationId }: CursorKey): Promise<void> {
  await tx.count(removeOfProfile.with({ shard, profileId, destinationId }))
}

/** Removes all records of a destination, shard by shard. Returns how many. */
export async function dropRecordedItems(queries: Queries, destinationId: string): Promise<number> {
  const rows = await queries.rows<{ shard: number }>(findShards.with({ destinationId }))
  const shards = rows.map(({ shard }) => shard)
  return countInShards(queries, shards, (shard) => removeOfDestination.with({ shard, destinationId }))
}
