-- Data rules (ARCHITECTURE.md, "Data"): every table that grows with the data has `shard` as the first column of its
-- primary key. Times are epoch milliseconds. Text in keys is compared by bytes (collate "C"). Documents are `json`.

---------------------------------------------------------------------------------------------------------------- Apps
-- Small tables, written by operators and read often. They have no shard: every node may have a copy.

create table app (
  id            text collate "C" primary key,
  name          text not null,
  redirect_uris text[] not null,
  token_flow    boolean not null,
  -- Sync rules of the app: classes that are switched off, and its own intervals.
  sync          json not null default '{}',
  -- Quotas set by an operator; a quota that is not named here has its default.
  quotas        json not null default '{}',
  created_at    bigint not null,
  -- Set while the app is being deleted: its secrets and its accounts' tokens are refused, nothing is synced.
  deleting_at   bigint
);

create table app_secret (
  app_id     text collate "C" not null references app (id) on delete cascade,
  id         text collate "C" not null,
  hash       bytea not null,
  created_at bigint not null,
  expires_at bigint,
  primary key (app_id, id)
);

create table service_key (
  app_id     text collate "C" not null references app (id) on delete cascade,
  service    text collate "C" not null,
  key        text not null,
  secret     bytea not null,
  scope      text,
  overrides  json not null,
  updated_at bigint not null,
  primary key (app_id, service)
);

-- Deletions of apps with the data of all their accounts. A deletion resumes after a restart; finished ones are kept.
create table app_deletion (
  app_id        text collate "C" primary key,
  name          text not null,
  actor         text not null,
  started_at    bigint not null,
  finished_at   bigint,
  -- Accounts at the start, and how many of them are erased.
  accounts      bigint not null,
  erased        bigint not null,
  -- Results of revoking tokens at the services.
  revoked       bigint not null,
  not_supported bigint not null,
  failed        bigint not null,
  -- Since when the deletion only waits for destinations to erase their rows.
  waiting_since bigint,
  -- Do not wait for destinations any longer.
  give_up       boolean not null,
  -- Destinations removed without having confirmed the erasure.
  unconfirmed   bigint not null,
  -- Until when one process has the lease.
  lease_until   bigint not null,
  error         text
);

------------------------------------------------------------------------------------------------------------ Identity
-- An account, its tokens and the profiles created in it are in one shard. The shard of a profile never changes, also
-- when a merge moves the profile to another account.

create table account (
  shard       smallint not null,
  id          text collate "C" not null,
  app_id      text collate "C" not null,
  -- The shards of its profiles; more than one only after a merge.
  shards      smallint[] not null,
  merged_into text collate "C",
  created_at  bigint not null,
  primary key (shard, id)
);
-- Lists the accounts of an app.
create index account_app on account (app_id, shard, id);

create table access_token (
  shard      smallint not null,
  hash       bytea not null,
  account_id text collate "C" not null,
  created_at bigint not null,
  revoked_at bigint,
  primary key (shard, hash)
);
create index access_token_account on access_token (shard, account_id);

create table profile (
  shard        smallint not null,
  id           text collate "C" not null,
  account_id   text collate "C" not null,
  app_id       text collate "C" not null,
  service      text collate "C" not null,
  native_id    text collate "C" not null,
  state        text collate "C" not null,
  state_until  bigint,
  -- Since when the profile is paused; also kept while it needs a new sign-in, which does not end the pause.
  paused_at    bigint,
  error        text,
  scope        text,
  -- The person, normalised, and the record of the service.
  self         json not null,
  data         json not null,
  connected_at bigint not null,
  synced_at    bigint,
  -- Set when a merge found two profiles of one service user: this one only keeps its items.
  merged_into  text collate "C",
  primary key (shard, id)
);
-- Reads use every profile of an account, also those that only keep items.
create index profile_account on profile (shard, account_id);
create unique index profile_service_user on profile (shard, account_id, service, native_id) where merged_into is null;

create table credential (
  shard         smallint not null,
  profile_id    text collate "C" not null,
  sealed        bytea not null,
  version       integer not null,
  expires_at    bigint,
  -- Until when one process has the lease to refresh it.
  refresh_until bigint not null,
  updated_at    bigint not null,
  primary key (shard, profile_id)
);

-- The accounts of an app that have a service user, the last used first. Its shard is derived from the key.
create table service_user (
  shard       smallint not null,
  app_id      text collate "C" not null,
  service     text collate "C" not null,
  native_id   text collate "C" not null,
  account_ids text[] collate "C" not null,
  used_at     bigint not null,
  primary key (shard, app_id, service, native_id)
);

-- A sign-in that has not returned from the service yet: used once, by the browser that started it.
create table pending (
  shard      smallint not null,
  hash       bytea not null,
  app_id     text collate "C" not null,
  service    text collate "C" not null,
  browser    bytea not null,
  sealed     bytea not null,
  expires_at bigint not null,
  primary key (shard, hash)
);
create index pending_expires on pending (shard, expires_at);

-- A finished sign-in that takes effect when the app redeems its code, or when the person confirms.
create table consent (
  shard          smallint not null,
  hash           bytea not null,
  kind           text collate "C" not null,
  app_id         text collate "C" not null,
  service        text collate "C" not null,
  native_id      text collate "C" not null,
  -- The account to join, if the request named one; null: the service user decides.
  account_id     text collate "C",
  redirect_uri   text not null,
  code_challenge text,
  browser        bytea,
  sealed         bytea not null,
  expires_at     bigint not null,
  used_at        bigint,
  -- The token of the first use, so that a second use can revoke it.
  token_hash     bytea,
  token_shard    smallint,
  primary key (shard, hash)
);
create index consent_expires on consent (shard, expires_at);

-- Unfinished sign-ins of an address or an app, counted per minute. One row, so that one statement counts and decides.
create table open_sign_in (
  shard   smallint not null,
  subject text collate "C" not null,
  minutes bigint[] not null,
  counts  integer[] not null,
  primary key (shard, subject)
);

--------------------------------------------------------------------------------------------------------------- Items
-- An item belongs to a profile, never to an account: a merge moves profiles and touches no item.

create table item (
  shard        smallint not null,
  profile_id   text collate "C" not null,
  -- The hash of the IDR; the public id adds the partition of the owner.
  id           uuid not null,
  endpoint     text collate "C" not null,
  native_id    text collate "C" not null,
  at           bigint not null,
  updated_at   bigint not null,
  -- Order of changes within the profile: the table is its own change log.
  seq          bigint not null,
  hash         bytea not null,
  -- One bit for each type (model/items/types.ts).
  types        integer not null,
  author       text collate "C",
  participants text[] collate "C" not null,
  guid         text[] collate "C" not null,
  lat          double precision,
  lng          double precision,
  -- Search terms: words, people and guid, each prefixed with the scope of its profile (store/items/search-terms.ts).
  words        tsvector not null,
  oembed       json not null,
  data         json not null,
  primary key (shard, profile_id, id)
);
create index item_seq on item (shard, profile_id, seq);
-- Includes the types, so that counting is an index-only scan.
create index item_endpoint on item (shard, profile_id, endpoint, at, id) include (types);
create index item_place on item (shard, profile_id, lat, lng) where lat is not null;
-- Without the shard: the scope at the beginning of every term is more selective.
create index item_words on item using gin (words);
-- A profile is in one shard. Without this the planner multiplies the two selectivities and expects far too few rows.
create statistics item_owner (dependencies) on shard, profile_id from item;

-- One partial index for each type: an item is only in the indexes of its own types, and listing a type is an ordered
-- scan.
create index item_photos on item (shard, profile_id, at, id) where (types & 1) <> 0;
create index item_videos on item (shard, profile_id, at, id) where (types & 2) <> 0;
create index item_statuses on item (shard, profile_id, at, id) where (types & 4) <> 0;
create index item_news on item (shard, profile_id, at, id) where (types & 8) <> 0;
create index item_checkins on item (shard, profile_id, at, id) where (types & 16) <> 0;
create index item_events on item (shard, profile_id, at, id) where (types & 32) <> 0;
create index item_messages on item (shard, profile_id, at, id) where (types & 64) <> 0;
create index item_files on item (shard, profile_id, at, id) where (types & 128) <> 0;
create index item_tracks on item (shard, profile_id, at, id) where (types & 256) <> 0;
create index item_activities on item (shard, profile_id, at, id) where (types & 512) <> 0;
create index item_measures on item (shard, profile_id, at, id) where (types & 1024) <> 0;
create index item_contacts on item (shard, profile_id, at, id) where (types & 2048) <> 0;
create index item_photos_feed on item (shard, profile_id, at, id) where (types & 4096) <> 0;
create index item_videos_feed on item (shard, profile_id, at, id) where (types & 8192) <> 0;
create index item_statuses_feed on item (shard, profile_id, at, id) where (types & 16384) <> 0;
create index item_news_feed on item (shard, profile_id, at, id) where (types & 32768) <> 0;
create index item_checkins_feed on item (shard, profile_id, at, id) where (types & 65536) <> 0;
create index item_all on item (shard, profile_id, at, id) where (types & 2047) <> 0;
create index item_all_feed on item (shard, profile_id, at, id) where (types & 126976) <> 0;

-- Tombstones: deleted items, for readers that follow the order of changes.
create table item_tombstone (
  shard      smallint not null,
  profile_id text collate "C" not null,
  seq        bigint not null,
  id         uuid not null,
  endpoint   text collate "C" not null,
  native_id  text collate "C" not null,
  deleted_at bigint not null,
  primary key (shard, profile_id, seq)
);

---------------------------------------------------------------------------------------------------------------- Sync

-- The schedule of a profile. `next_run_at` decides; a job is only a wake-up. Null: not scheduled.
create table profile_sync (
  shard        smallint not null,
  profile_id   text collate "C" not null,
  app_id       text collate "C" not null,
  service      text collate "C" not null,
  next_run_at  bigint,
  -- Fencing token: only the worker that wrote this value last may write. A worker that lost its lease finds another
  -- value and stops.
  lease_token  text collate "C",
  -- Number of the newest change of this profile; assigned under this row's lock, so that it follows the commit order.
  seq          bigint not null,
  -- Items stored and the bytes of their records, written in the transaction that writes the items.
  items        bigint not null default 0,
  bytes        bigint not null default 0,
  -- When both were last counted from the items themselves; null: never, so maintenance counts this profile next.
  recounted_at bigint,
  -- Until then it runs alone in a process, because a worker died while it ran.
  alone_until  bigint not null default 0,
  primary key (shard, profile_id)
);
-- App and service first: an app with a million due profiles must not delay the others.
create index profile_sync_due on profile_sync (app_id, service, next_run_at, shard);

create table endpoint_sync (
  shard             smallint not null,
  profile_id        text collate "C" not null,
  endpoint          text collate "C" not null,
  next_run_at       bigint not null,
  interval_ms       bigint not null,
  -- The watermark of the last finished walk, and the position of an unfinished one.
  watermark         json,
  walk              json,
  -- Hashes of the ids that an unfinished walk has listed so far, 16 bytes each. At its end, items that are missing here
  -- were deleted.
  seen              bytea,
  -- The validator of the last response (ETag or Last-Modified), and a hash of its request.
  etag              text,
  validator_for     text collate "C",
  -- Incremented by every reset: items read under an older epoch count as changed.
  epoch             integer not null,
  items             bigint not null,
  fails             integer not null,
  -- How often a worker process died while it ran this endpoint, since the last successful run. At three it is parked.
  deaths            smallint not null default 0,
  -- Current number of reader faults and of quarantined records.
  faults            bigint not null,
  quarantined       bigint not null,
  -- The next run reads the quarantined records again.
  retry_quarantined boolean not null default false,
  -- Deletions that are not applied before they are confirmed, because there are implausibly many.
  suspect_deletes   integer not null,
  -- Confirmed by an operator: the next complete walk deletes all items that it does not list.
  confirm_deletes   boolean not null default false,
  -- The quota that kept new items out since the endpoint was last read from its beginning; null: none.
  left_out          text collate "C",
  first_done_at     bigint,
  last_run_at       bigint,
  -- Why the last run failed: a reason code and a sentence.
  last_reason       text collate "C",
  last_error        text,
  primary key (shard, profile_id, endpoint)
);
-- Few rows, listed for operators and metrics.
create index endpoint_sync_parked on endpoint_sync (shard, profile_id, endpoint) where deaths >= 3;
create index endpoint_sync_left_out on endpoint_sync (shard, profile_id) where left_out is not null;
create index endpoint_sync_faults on endpoint_sync (shard, profile_id, endpoint) where faults > 0;
create index endpoint_sync_quarantined on endpoint_sync (shard, profile_id, endpoint) where quarantined > 0;

-- Records that could not be stored, with a sample. They do not stop the others.
create table quarantine (
  shard      smallint not null,
  profile_id text collate "C" not null,
  endpoint   text collate "C" not null,
  id         text collate "C" not null,
  reason     text not null,
  sample     text not null,
  seen_at    bigint not null,
  -- The item that the record is a version of, where it has a usable id.
  item_id    uuid,
  -- Whether `sample` is the whole record, so that it can be read again without the service.
  is_whole   boolean not null default false,
  -- How often it was received or retried.
  times      integer not null default 1,
  primary key (shard, profile_id, endpoint, id)
);

-- Fields that a connector's reader could not read, the newest few of each endpoint. A row is removed when its record is
-- read without the fault.
create table reader_fault (
  shard      smallint not null,
  profile_id text collate "C" not null,
  endpoint   text collate "C" not null,
  -- The item that lacks the field.
  item_id    uuid not null,
  field      text collate "C" not null,
  kind       text collate "C" not null,
  native_id  text collate "C" not null,
  message    text not null,
  seen_at    bigint not null,
  times      integer not null,
  primary key (shard, profile_id, endpoint, item_id, field)
);

-- Rate limiter: calls left per bucket (an app at a service, a person, all). Small and often written: it has no shard.
create table rate_limit (
  bucket        text collate "C" primary key,
  tokens        double precision not null,
  refilled_at   bigint not null,
  blocked_until bigint not null,
  -- The last grant, returned by the statement that acquired it.
  granted       double precision not null
);

-- Quotas that are nearly used up or reached: reported once, listed until they are not any more.
create table quota_notice (
  shard      smallint not null,
  -- The id of the profile, account or app that has the quota.
  subject    text collate "C" not null,
  quota      text collate "C" not null,
  -- `near` or `reached`.
  level      text collate "C" not null,
  app_id     text collate "C" not null,
  account_id text collate "C",
  since      bigint not null,
  primary key (shard, subject, quota)
);
create index quota_notice_app on quota_notice (app_id, shard);

---------------------------------------------------------------------------------------------------------------- Push

-- Where the data of an app is delivered to. Few rows, read often: it has no shard.
create table destination (
  id              text collate "C" primary key,
  app_id          text collate "C" not null references app (id) on delete cascade,
  name            text not null,
  kind            text collate "C" not null,
  -- The address with its password, and other secrets of the kind.
  sealed          bytea not null,
  filter          text[] not null,
  schedule        text not null,
  options         json not null,
  -- Whether events are sent to it: its kind says whether they can be, its options whether they are.
  wants_events    boolean not null default false,
  state           text collate "C" not null,
  last_error      text,
  -- A failing destination gets no deliveries until `next_attempt_at`; then one run tries.
  fails           integer not null,
  failing_since   bigint,
  next_attempt_at bigint not null,
  -- How often a worker process died while it delivered here, since the last successful run. At three it is parked.
  deaths          smallint not null default 0,
  -- Until then it runs alone in a process, because a worker died while it ran.
  alone_until     bigint not null default 0,
  -- Its failure was reported, so its recovery will be reported, too.
  alerted         boolean not null default false,
  -- When its schedule is due next; null without one.
  next_run_at     bigint,
  created_at      bigint not null,
  -- A run that began before the last change stops.
  updated_at      bigint not null
);
create index destination_app on destination (app_id);

-- How far each profile's changes have been delivered to each destination. Order is kept per profile.
create table delivery_cursor (
  shard                smallint not null,
  profile_id           text collate "C" not null,
  destination_id       text collate "C" not null,
  -- All changes up to this one are delivered.
  seq                  bigint not null,
  -- The destination's own checkpoint, as far as known; if it has less, it lost data.
  written              bigint not null,
  -- The newest change when the cursor was created: up to there the destination has no rows that could need deleting.
  backfill_until       bigint not null,
  -- Incremented when everything is sent again: the same rows are then new messages.
  generation           integer not null,
  -- When its next run is due; null while there is nothing to do.
  due_at               bigint,
  -- It has a schedule: a change does not make it due.
  scheduled            boolean not null,
  lease_token          text collate "C",
  -- Revision of the profile and its items, and the revision that the destination has acknowledged.
  revision             bigint not null,
  acked_revision       bigint not null,
  -- Digest of the profile record last delivered: a change of items alone does not deliver it again.
  acked_profile_digest text collate "C",
  -- Since when there are changes that are not acknowledged.
  behind_since         bigint,
  -- Incremented by every run: the destination refuses a run with an older epoch.
  epoch                bigint not null,
  -- The profile is deleted, and its rows must be.
  erase                boolean not null,
  -- Whether it has dead letters, and whether the next run tries them again.
  dead                 boolean not null,
  redrive              boolean not null,
  fails                integer not null,
  error                text,
  rows                 bigint not null,
  delivered_at         bigint,
  primary key (shard, profile_id, destination_id)
);
-- Open cursors by destination: a destination with a million waiting profiles must not delay the others.
create index delivery_cursor_open on delivery_cursor (destination_id, due_at, shard)
  where due_at is not null or revision > acked_revision;
create index delivery_cursor_destination on delivery_cursor (destination_id, shard, profile_id);

-- Attempted deliveries, listed for operators and apps. Removed after some days.
create table delivery (
  shard          smallint not null,
  id             text collate "C" not null,
  destination_id text collate "C" not null,
  profile_id     text collate "C" not null,
  at             bigint not null,
  ms             integer not null,
  -- 1 for the first try of these rows, and so on.
  attempt        integer not null,
  rows           integer not null,
  first_seq      bigint,
  last_seq       bigint,
  ok             boolean not null,
  error          text,
  primary key (shard, id)
);
create index delivery_destination on delivery (destination_id, id, shard);
create index delivery_age on delivery (at, shard);

-- Rows that the destination rejected; the others were delivered.
create table dead_letter (
  shard          smallint not null,
  profile_id     text collate "C" not null,
  destination_id text collate "C" not null,
  item_id        uuid not null,
  seq            bigint not null,
  reason         text not null,
  at             bigint not null,
  primary key (shard, profile_id, destination_id, item_id)
);
create index dead_letter_destination on dead_letter (destination_id, at, shard);

-- Events queued for the destinations that want them.
create table push_event (
  destination_id text collate "C" not null references destination (id) on delete cascade,
  id             text collate "C" not null,
  type           text collate "C" not null,
  at             bigint not null,
  data           json not null,
  primary key (destination_id, id)
);

---------------------------------------------------------------------------------------------------------- Operations

-- Sealed values of the installation, such as the pepper of all hashes.
create table vault (
  name   text collate "C" primary key,
  sealed bytea not null
);

-- Wrong secrets per subject (an app, an address), counted over all processes.
create table attempt (
  subject      text collate "C" primary key,
  failures     integer not null,
  window_start bigint not null
);

-- Audit log: what was done, by whom, to what.
create table audit (
  shard      smallint not null,
  id         text collate "C" not null,
  at         bigint not null,
  actor      text not null,
  action     text not null,
  app_id     text,
  account_id text,
  detail     json not null,
  primary key (shard, id)
);

-- Calls through the proxy: no query, no header, no body. Removed after some days.
create table call_log (
  shard      smallint not null,
  id         text collate "C" not null,
  app_id     text collate "C" not null,
  account_id text collate "C" not null,
  at         bigint not null,
  method     text not null,
  service    text not null,
  path       text not null,
  status     smallint not null,
  ms         integer not null,
  bytes      bigint not null,
  refreshed  boolean not null,
  retried    boolean not null,
  request_id text not null,
  primary key (shard, id)
);
create index call_log_app on call_log (app_id, id, shard);
-- Rows are written in the order of time, so a small block-range index finds the old ones.
create index call_log_at on call_log using brin (at, shard);
