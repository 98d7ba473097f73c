-- People who operate the installation, or develop apps on it.
create table operator (
  id         text collate "C" primary key,
  name       text not null,
  -- The name in lower case, to sign in with.
  login      text collate "C" not null unique,
  role       text not null check (role in ('operator', 'developer')),
  -- The apps of a developer.
  apps       text[] not null,
  -- scrypt, with its parameters and salt. Null: passkeys only.
  password   text,
  created_at bigint not null
);

-- The public keys of passkeys (WebAuthn).
create table operator_passkey (
  id          text collate "C" primary key,
  operator_id text collate "C" not null,
  name        text not null,
  public_key  bytea not null,
  counter     bigint not null,
  created_at  bigint not null,
  used_at     bigint
);

-- Links that are used once: for a new operator, or for an operator who sets a new password or passkey.
create table operator_link (
  hash        bytea primary key,
  id          text collate "C" not null unique,
  -- Null: the link creates an operator.
  operator_id text collate "C",
  name        text,
  role        text not null check (role in ('operator', 'developer')),
  apps        text[] not null,
  created_by  text not null,
  created_at  bigint not null,
  expires_at  bigint not null
);

-- Browsers in which an operator is signed in; only hashes of their cookies are stored.
create table operator_session (
  hash             bytea primary key,
  id               text collate "C" not null unique,
  operator_id      text collate "C" not null,
  method           text not null check (method in ('password', 'passkey', 'link')),
  browser          text not null,
  address          text not null,
  created_at       bigint not null,
  seen_at          bigint not null,
  -- The last proof of the password or a passkey.
  authenticated_at bigint not null,
  expires_at       bigint not null
);
create index operator_session_operator on operator_session (operator_id);

-- The audit log is read by these (0022). The same texts with another order: no row is written again.
alter table audit
  alter column actor type text collate "C",
  alter column action type text collate "C",
  alter column app_id type text collate "C",
  alter column account_id type text collate "C";

-- Challenges of passkeys that were answered, so that an answer is accepted once.
create table answered_challenge (
  hash       bytea primary key,
  expires_at bigint not null
);
