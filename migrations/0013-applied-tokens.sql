-- Refresh tokens that an app applied, by a hash of what it sent. A refresh token often works once: what the service returned for
-- it is stored before anything else, so that a repeated request goes on with that, and ends at the same profile.
create table applied_token (
  shard       smallint not null,
  hash        bytea not null,
  app_id      text collate "C" not null,
  -- The credential until its profile is connected, then where the profile is.
  sealed      bytea not null,
  -- Until then one process uses the refresh token.
  lease_until bigint not null,
  expires_at  bigint not null,
  primary key (shard, hash)
);
create index applied_token_app on applied_token (app_id, shard);
