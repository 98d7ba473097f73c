-- How an app looks on the pages that people see: colour, privacy policy, and the hash and type of its logo.
alter table app add column branding jsonb;

-- The picture itself, apart from the app's row, which is read with every request.
create table app_logo (
  app_id text collate "C" not null references app (id) on delete cascade,
  -- SHA-256 of the bytes, in hex; part of the address.
  hash   text collate "C" not null,
  type   text not null,
  -- Base64.
  data   text not null,
  primary key (app_id)
);

-- Links that an app creates for one person. Only the hash of a link is stored. In the shard of the account, if there is one.
create table connect_session (
  shard      smallint not null,
  id         text collate "C" not null,
  hash       bytea not null,
  app_id     text collate "C" not null,
  account_id text collate "C",
  -- What the app asked for: where to return, state, scope, services, language, label.
  sealed     bytea not null,
  -- Hash of the cookie of the browser that began a sign-in with it; no other browser may use it then.
  browser    bytea,
  used_at    bigint,
  -- Set in the transaction that connects the profile.
  done_at    bigint,
  service    text collate "C",
  profile_id text collate "C",
  revoked_at bigint,
  created_at bigint not null,
  expires_at bigint not null,
  primary key (shard, id)
);
create unique index connect_session_hash on connect_session (shard, hash);
create index connect_session_account on connect_session (shard, account_id);
create index connect_session_app on connect_session (app_id, shard);
create index connect_session_expires on connect_session (expires_at, shard);
