-- Tokens for one service: only the proxy accepts them. In the shard of the account.
create table proxy_token (
  shard      smallint not null,
  hash       bytea not null,
  -- Derived from the hash, so that the log can name a token without opening anything.
  id         text collate "C" not null,
  account_id text collate "C" not null,
  service    text collate "C" not null,
  -- Null: each profile of the service.
  profile_id text collate "C",
  -- Null: each method, each path.
  methods    text[],
  paths      text[],
  label      text,
  -- Who made it, as in the audit log.
  made_by    text not null,
  -- The access token it was made with, and with which it ends; null: the app or an operator made it.
  maker_hash bytea,
  created_at bigint not null,
  expires_at bigint,
  -- The minute of the last call.
  used_at    bigint,
  primary key (shard, hash)
);
create index proxy_token_account on proxy_token (shard, account_id);

-- The id of the token that made the call; null: an operator or an agent made it, or a process of an older release logged it.
alter table call_log add column called_by text collate "C";
