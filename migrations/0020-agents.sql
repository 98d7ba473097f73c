-- Whether agents (MCP clients) may act for people of the app, where they return to, and which services they may write to.
-- Null: agents are off.
alter table app add column agents jsonb;

-- What a person allowed an agent to do. In the shard of the account.
create table agent_grant (
  shard           smallint not null,
  id              text collate "C" not null,
  app_id          text collate "C" not null,
  account_id      text collate "C" not null,
  scopes          text[] not null,
  redirect_uri    text not null,
  -- The authorization code, used once.
  code_hash       bytea not null,
  code_challenge  text not null,
  code_expires_at bigint not null,
  code_used_at    bigint,
  created_at      bigint not null,
  -- The end of the code, then of the newest refresh token.
  expires_at      bigint not null,
  revoked_at      bigint,
  primary key (shard, id)
);
create unique index agent_grant_code on agent_grant (shard, code_hash);
create index agent_grant_account on agent_grant (shard, account_id);
create index agent_grant_expires on agent_grant (expires_at, shard);

-- Access and refresh tokens of agents; only hashes are stored.
create table agent_token (
  shard      smallint not null,
  hash       bytea not null,
  grant_id   text collate "C" not null,
  kind       text not null check (kind in ('access', 'refresh')),
  expires_at bigint not null,
  -- A refresh token is used once; a second use revokes the grant.
  used_at    bigint,
  primary key (shard, hash)
);
create index agent_token_grant on agent_token (shard, grant_id);
create index agent_token_expires on agent_token (expires_at, shard);
