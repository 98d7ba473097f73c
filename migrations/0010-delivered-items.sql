-- Items that a destination may have, where its filter has parameters and every deletion is a message: only these are deleted
-- there. Written before the delivery. Kept after a deletion, because a replay delivers it again.
create table delivered_item (
  shard          smallint not null,
  profile_id     text collate "C" not null,
  destination_id text collate "C" not null,
  item_id        uuid not null,
  primary key (shard, profile_id, destination_id, item_id)
);
create index delivered_item_destination on delivered_item (destination_id, shard);

alter table delivery_cursor
  -- Whether delivered_item is kept for this cursor. none: no. partial: since the last time everything was delivered again,
  -- which is not finished. complete: the destination has no other items.
  add column recording text collate "C" not null default 'none',
  -- The epoch of the last run that knew of delivered_item. If it is not the last epoch, a run of an older release was between.
  add column recorded_epoch bigint not null default 0;
