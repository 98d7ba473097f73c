-- no-transaction
-- Finds the items of a profile that have a dedupe key: one index for each place in the list of keys (store/items/copies.ts). They
-- begin with a hash of profile and key, because comparing one number is several times faster than comparing shard, profile and
-- text. They follow the row by themselves, also where an older release writes it.
create index concurrently item_key_1 on item
  (hashtextextended(guid[1], hashtextextended(profile_id, 0)), shard, at, id) where guid[1] is not null;
create index concurrently item_key_2 on item
  (hashtextextended(guid[2], hashtextextended(profile_id, 0)), shard, at, id) where guid[2] is not null;
create index concurrently item_key_3 on item
  (hashtextextended(guid[3], hashtextextended(profile_id, 0)), shard, at, id) where guid[3] is not null;
create index concurrently item_key_4 on item
  (hashtextextended(guid[4], hashtextextended(profile_id, 0)), shard, at, id) where guid[4] is not null;
create index concurrently item_key_5 on item
  (hashtextextended(guid[5], hashtextextended(profile_id, 0)), shard, at, id) where guid[5] is not null;
create index concurrently item_key_6 on item
  (hashtextextended(guid[6], hashtextextended(profile_id, 0)), shard, at, id) where guid[6] is not null;
