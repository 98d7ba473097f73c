-- Our own table beside those that Tributary writes: what the worker has done, and for which version of an item.
create table if not exists processed (
  profile_id text not null,
  item_id text not null,
  seq bigint not null,
  title text,
  primary key (profile_id, item_id)
);
