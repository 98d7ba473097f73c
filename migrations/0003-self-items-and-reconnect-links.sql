-- When the service's record of the person last changed; null where an older release stored it: then `connected_at`.
alter table profile add column updated_at bigint;

-- Links by which a person signs in again to one profile. Used once; only the hash is stored.
create table reconnect_link (
  -- The shard of the profile.
  shard        smallint not null,
  hash         bytea not null,
  app_id       text collate "C" not null,
  profile_id   text collate "C" not null,
  redirect_uri text not null,
  -- The scope to request; null: the default of the app's key or the service.
  scope        text,
  expires_at   bigint not null,
  primary key (shard, hash)
);
create index reconnect_link_profile on reconnect_link (shard, profile_id, expires_at);
