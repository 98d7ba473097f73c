-- Endpoints that are read once for each item of another endpoint: lists of lists, details, batches.

-- What is known of each parent of a child endpoint. A row is deleted with its parent.
create table child_sync (
  shard      smallint not null,
  profile_id text collate "C" not null,
  endpoint   text collate "C" not null,
  -- The item that is the parent.
  parent     uuid not null,
  -- The parent's `seq` and its version, as the connector reads it, when its children were last read.
  seq        bigint not null,
  version    text,
  -- The watermark of this parent.
  watermark  json,
  -- When its children are to be read again, because the service refused them or the last walk was not complete.
  retry_at   bigint,
  primary key (shard, profile_id, endpoint, parent)
);

-- Which items a parent has: an item that no parent shows any more was deleted.
create table child_item (
  shard      smallint not null,
  profile_id text collate "C" not null,
  endpoint   text collate "C" not null,
  parent     uuid not null,
  id         uuid not null,
  primary key (shard, profile_id, endpoint, parent, id)
);
create index child_item_id on child_item (shard, profile_id, id);
