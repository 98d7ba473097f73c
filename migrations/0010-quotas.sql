-- What is stored of a profile: how many items, and the bytes of their records. Written in the transaction that writes the items.
alter table profile_sync add column items bigint not null default 0;
alter table profile_sync add column bytes bigint not null default 0;
-- When both were last counted from the items themselves; null: never, so that maintenance counts this profile next.
alter table profile_sync add column recounted_at bigint;

-- The quota that kept new items of an endpoint out since it was last read from its beginning; null: none did.
alter table endpoint_sync add column left_out text collate "C";
create index endpoint_sync_left_out on endpoint_sync (part, profile_id) where left_out is not null;

-- Quotas that an operator set for the app; those that are not named here have their default.
alter table app add column quotas json not null default '{}';

-- Quotas that are nearly used up, or were reached: told once, shown until there is room again.
create table quota_notice (
  part       smallint not null,
  -- The id of the profile, account or app whose quota it is.
  subject    text collate "C" not null,
  quota      text collate "C" not null,
  -- `near` or `reached`.
  level      text collate "C" not null,
  app_id     text collate "C" not null,
  account_id text collate "C",
  since      bigint not null,
  primary key (part, subject, quota)
);
create index quota_notice_app on quota_notice (app_id, part);

-- Unfinished sign-ins of an address or an app: how many began in which minute. One row, so that one statement counts and decides.
create table open_sign_in (
  part    smallint not null,
  subject text collate "C" not null,
  minutes bigint[] not null,
  counts  integer[] not null,
  primary key (part, subject)
);
