-- Subscriptions to the webhooks of services: one for each profile, or one for the app (`profile_id` is then empty).
create table hook_subscription (
  shard       smallint not null,
  app_id      text collate "C" not null,
  service     text collate "C" not null,
  profile_id  text collate "C" not null,
  name        text collate "C" not null,
  -- The native id of the person: several profiles of an app may have the same one, and share what the service has.
  person      text collate "C" not null,
  -- `wanted`: not confirmed by the service yet; `active`; `ending`: the profile is erased, the service is still to be told.
  state       text collate "C" not null,
  -- The id that the service gave it, and when it ends unless it is renewed.
  native_id   text collate "C",
  expires_at  bigint,
  -- When the next call is due.
  due_at      bigint not null,
  attempts    integer not null,
  last_reason text collate "C",
  last_error  text collate "C",
  lease_token text collate "C",
  -- The credential to end it with, only while `ending`: the profile and its credential are deleted then.
  sealed      bytea,
  primary key (shard, app_id, service, profile_id, name)
);
create index hook_subscription_due on hook_subscription (due_at, shard);
create index hook_subscription_of_person on hook_subscription (app_id, service, person, shard);

-- Records that webhooks delivered, until a run of their profile has stored them.
create table hook_record (
  shard       smallint not null,
  profile_id  text collate "C" not null,
  -- The order of arrival within the profile.
  position    bigint not null,
  endpoint    text collate "C" not null,
  -- A record as received; null: the record with this native id is deleted.
  record      json,
  native_id   text,
  -- When the service deleted it; null: for ever.
  version     bigint,
  received_at bigint not null,
  -- Set on the deletion of a record that is not stored, which is kept for a while: the record may still be delivered.
  kept_until  bigint,
  primary key (shard, profile_id, position)
);

-- Requests of services to delete what is stored of one of their users. Kept for some weeks for the page of its status;
-- native_id and profile_ids only until everything is deleted.
create table deletion_request (
  shard        smallint not null,
  -- The hash of the confirmation code.
  hash         bytea not null,
  app_id       text collate "C" not null,
  service      text collate "C" not null,
  native_id    text,
  requested_at bigint not null,
  erased_at    bigint,
  finished_at  bigint,
  -- Erased profiles whose destinations have not confirmed yet.
  profile_ids  text[] collate "C" not null,
  profiles     integer not null,
  lease_until  bigint not null,
  primary key (shard, hash)
);
create index deletion_request_open on deletion_request (requested_at, shard) where finished_at is null;
