-- Which tokens `apply` accepts: `proven`, only those that the service confirms it issued to this app; `any`. Apps of an
-- older release accepted any and keep doing so; new ones are created with `proven`.
alter table app add column apply text collate "C" not null default 'any';

-- Results of revoking while an app is deleted: `not_supported` counts the services without revocation (`not_offered`),
-- `failed` those that could not be asked (`unreachable`). The older release counts a refusal as `revoked`.
alter table app_deletion add column refused bigint not null default 0;

-- Revocations that end every token of a service user. A sign-in that finishes meanwhile waits for them, and verifies its
-- token again if one ran since it began.
create table grant_revocation (
  shard     smallint not null,
  app_id    text collate "C" not null,
  service   text collate "C" not null,
  native_id text collate "C" not null,
  id        text collate "C" not null,
  -- When it counts as ended, if its process died.
  until     bigint not null,
  ended_at  bigint,
  primary key (shard, app_id, service, native_id, id)
);
