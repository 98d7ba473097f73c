-- no-transaction
-- Finds the tombstone of an item by its id: an own item that was replaced by a copy in a merge is still found by its id.
create index concurrently item_tombstone_id on item_tombstone (shard, profile_id, id);
