-- Keys that services gave to apps by themselves, one per app, service and instance. Bounded per app, so without a shard.
create table service_registration (
  app_id      text collate "C" not null references app (id) on delete cascade,
  service     text collate "C" not null,
  -- The answers that lead to the instance; empty where one key is valid everywhere.
  instance    text collate "C" not null,
  -- Null while a process registers the app.
  sealed      bytea,
  lease       text,
  lease_until bigint,
  -- When the last sign-in began with it, and when the last one succeeded.
  began_at    bigint not null,
  used_at     bigint,
  expires_at  bigint,
  primary key (app_id, service, instance)
);
