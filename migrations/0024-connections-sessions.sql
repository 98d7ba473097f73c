-- Links to the page on which a person sees and ends their connections, and the browser sessions that they become. In the shard of
-- the account. Only hashes are stored.
create table connections_session (
  shard        smallint not null,
  -- Of the link; used once.
  hash         bytea not null,
  app_id       text collate "C" not null,
  account_id   text collate "C" not null,
  -- Where the page leads back to, an address of the app.
  redirect_uri text not null,
  -- The language that the app asked for; null: what the browser prefers.
  language     text,
  -- Of the link, then of the session.
  expires_at   bigint not null,
  -- Of the cookie of the browser that used the link; null: it was not used yet.
  session_hash bytea,
  primary key (shard, hash)
);
create unique index connections_session_open on connections_session (shard, session_hash);
create index connections_session_account on connections_session (shard, account_id, expires_at);
create index connections_session_expires on connections_session (expires_at, shard);
