import { uuidArray } from '#platform/postgres/binary-arrays.ts'
import { execute, type Queries, statement } from '#platform/postgres/database.ts'
import { hexId } from '../keys/item-ids.ts'
import type { ProfileKey } from '../keys/profile-key.ts'

/** An item of a child endpoint, and the item that is its parent. */
export interface ChildItem {
  parent: string
  id: string
}

interface ChildKey extends ProfileKey {
  endpoint: string
}

const isChild = 'shard = $shard and profile_id = $profileId and endpoint = $endpoint'
const findUnlinked = statement(
  'child-item-unlinked',
  `select ${hexId('n.parent')} as parent, ${hexId('n.id')} as id
   from unnest($parents::uuid[], $ids::uuid[]) as n (parent, id)
   where not exists (
     select 1 from child_item c where c.shard = $shard and c.profile_id = $profileId and c.endpoint = $endpoint
       and c.parent = n.parent and c.id = n.id)`,
)
const insert = statement(
  'child-item-insert',
  `insert into child_item (shard, profile_id, endpoint, parent, id)
   select $shard, $profileId, $endpoint, n.parent, n.id from unnest($parents::uuid[], $ids::uuid[]) as n (parent, id)
   on conflict do nothing`,
)
const findSince = statement(
  'child-item-since',
  `select ${hexId('c.parent')} as parent, ${hexId('c.id')} as id
   from child_item c join item i on i.shard = $shard and i.profile_id = $profileId and i.id = c.id
   where c.shard = $shard and c.profile_id = $profileId and c.endpoint = $endpoint and c.parent = any($parents::uuid[])
     and i.at >= $sinceMs`,
)
const findBatch = statement(
  'child-item-of-parent',
  `select ${hexId('id')} as id from child_item where ${isChild} and parent = $parent order by id limit $limit`,
)
// Items that only these parents have: the others keep them.
const findOnlyIn = statement(
  'child-item-only-in',
  `select distinct ${hexId('n.id')} as id from unnest($ids::uuid[]) as n (id)
   where not exists (
     select 1 from child_item c where c.shard = $shard and c.profile_id = $profileId and c.id = n.id
       and not (c.endpoint = $endpoint and c.parent = any($parents::uuid[])))`,
)
const remove = statement(
  'child-item-remove',
  `delete from child_item where ${isChild} and parent = any($parents::uuid[]) and id = any($ids::uuid[])`,
)
const erase = statement('child-item-erase', 'delete from child_item where shard = $shard and profile_id = $profileId')

/** Those that are not stored yet. */
export async function newChildItems(queries: Queries, key: ChildKey, items: ChildItem[]): Promise<ChildItem[]> {
  if (items.length === 0) return []
  return queries.rows<ChildItem>(findUnlinked.with({ ...keyOf(key), ...columns(items) }))
}

export async function insertChildItems(tx: Queries, key: ChildKey, items: ChildItem[]): Promise<void> {
  if (items.length > 0) await execute(tx, insert.with({ ...keyOf(key), ...columns(items) }))
}

/** The items of these parents that happened at this time or later. */
export async function childItemsSince(
  queries: Queries,
  key: ChildKey,
  parents: string[],
  sinceMs: number,
): Promise<ChildItem[]> {
  return queries.rows<ChildItem>(findSince.with({ ...keyOf(key), parents: uuidArray(parents), sinceMs }))
}

/** Some items of a parent; none when it has none left. */
export async function someChildItems(
  queries: Queries,
  key: ChildKey,
  parent: string,
  limit: number,
): Promise<string[]> {
  const rows = await queries.rows<{ id: string }>(findBatch.with({ ...keyOf(key), parent, limit }))
  return rows.map(({ id }) => id)
}

/** Of these items, those that no other parent has. */
export async function itemsOnlyIn(
  queries: Queries,
  key: ChildKey,
  parents: string[],
  ids: string[],
): Promise<string[]> {
  if (ids.length === 0) return []
  const values = { ...keyOf(key), parents: uuidArray(parents), ids: uuidArray(ids) }
  return (await queries.rows<{ id: string }>(findOnlyIn.with(values))).map(({ id }) => id)
}

export async function removeChildItems(tx: Queries, key: ChildKey, parents: string[], ids: string[]): Promise<void> {
  if (ids.length > 0) await tx.count(remove.with({ ...keyOf(key), parents: uuidArray(parents), ids: uuidArray(ids) }))
}

export async function eraseChildItems(tx: Queries, { shard, profileId }: ProfileKey): Promise<void> {
  await tx.count(erase.with({ shard, profileId }))
}

function keyOf({ shard, profileId, endpoint }: ChildKey): ChildKey {
  return { shard, profileId, endpoint }
}

function columns(items: ChildItem[]) {
  return { parents: uuidArray(items.map(({ parent }) => parent)), ids: uuidArray(items.map(({ id }) => id)) }
}
