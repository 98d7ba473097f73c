-- Everything from here on is cut into parts: `part` is the first column of every key. An account, its tokens and the
-- profiles made in it share one part; a profile keeps its part for life, also when a merge gives it another account.

create table account (
  part        smallint not null,
  id          text collate "C" not null,
  app_id      text collate "C" not null,
  -- The parts its profiles live in; more than one only after a merge.
  parts       smallint[] not null,
  merged_into text collate "C",
  created_at  bigint not null,
  primary key (part, id)
);

create table access_token (
  part       smallint not null,
  hash       bytea not null,
  account_id text collate "C" not null,
  created_at bigint not null,
  revoked_at bigint,
  primary key (part, hash)
);
create index access_token_account on access_token (part, account_id);

create table profile (
  part         smallint not null,
  id           text collate "C" not null,
  account_id   text collate "C" not null,
  app_id       text collate "C" not null,
  service      text collate "C" not null,
  native_id    text collate "C" not null,
  state        text collate "C" not null,
  state_until  bigint,
  error        text,
  scope        text,
  -- Who it is, normalised, and the service's own record.
  self         json not null,
  data         json not null,
  connected_at bigint not null,
  synced_at    bigint,
  -- Set when a merge brought two profiles of one service user together: this one only keeps its items.
  merged_into  text collate "C",
  primary key (part, id)
);
create unique index profile_service_user on profile (part, account_id, service, native_id) where merged_into is null;

create table credential (
  part          smallint not null,
  profile_id    text collate "C" not null,
  sealed        bytea not null,
  version       integer not null,
  expires_at    bigint,
  -- Until when one process alone may refresh it.
  refresh_until bigint not null,
  updated_at    bigint not null,
  primary key (part, profile_id)
);

-- Which accounts of an app have a service user, the last used first. Found by name, so its part comes from the name.
create table service_user (
  part        smallint not null,
  app_id      text collate "C" not null,
  service     text collate "C" not null,
  native_id   text collate "C" not null,
  account_ids text[] collate "C" not null,
  used_at     bigint not null,
  primary key (part, app_id, service, native_id)
);

-- A sign-in under way at a service: taken once, by the browser that began it.
create table pending (
  part       smallint not null,
  hash       bytea not null,
  app_id     text collate "C" not null,
  service    text collate "C" not null,
  browser    bytea not null,
  sealed     bytea not null,
  expires_at bigint not null,
  primary key (part, hash)
);
create index pending_expires on pending (part, expires_at);

-- A finished sign-in that takes effect when the app redeems its code, or when the person confirms.
create table consent (
  part           smallint not null,
  hash           bytea not null,
  kind           text collate "C" not null,
  app_id         text collate "C" not null,
  service        text collate "C" not null,
  native_id      text collate "C" not null,
  -- The account it was asked to join; empty when the service user decides.
  account_id     text collate "C",
  redirect_uri   text not null,
  code_challenge text,
  browser        bytea,
  sealed         bytea not null,
  expires_at     bigint not null,
  used_at        bigint,
  -- What the first use gave, so that a second use can take it back.
  token_hash     bytea,
  token_part     smallint,
  primary key (part, hash)
);
create index consent_expires on consent (part, expires_at);
