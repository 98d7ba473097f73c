-- What the log shows of sign-ins and syncs: one row for an operation, with its steps. Proxied calls and deliveries have
-- tables of their own. No token, code, secret, query or body. Removed after some days.
create table operation (
  -- Of the profile for a sync; random for a sign-in, whose account is not known when it begins.
  shard      smallint not null,
  -- Begins with a time, so that the order of ids is the order of the log, and then names its shard.
  id         text collate "C" not null,
  app_id     text collate "C" not null,
  kind       text collate "C" not null check (kind in ('sign_in', 'sync')),
  service    text collate "C",
  account_id text collate "C",
  profile_id text collate "C",
  at         bigint not null,
  -- When the newest of its steps ended: a request that is written late does not undo what a later one said.
  ended_at   bigint not null,
  outcome    text collate "C" not null check (outcome in ('ok', 'failed', 'refused', 'open')),
  -- Why it did not work; of an open operation, why it will not have worked when it expires.
  reason     text collate "C",
  -- When an open operation counts as abandoned.
  expires_at bigint,
  request_id text,
  summary    text not null,
  steps      jsonb not null,
  primary key (shard, id)
);
create index operation_app on operation (app_id, id, shard);
create index operation_trouble on operation (app_id, id, shard) where outcome <> 'ok';
create index operation_account on operation (account_id, id, shard) where account_id is not null;
create index operation_at on operation using brin (at, shard);

-- When a caller last requested a sync that has not run yet: the log shows that run even if it found nothing.
alter table profile_sync add column requested_at bigint;
