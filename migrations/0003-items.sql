-- Items belong to a profile, never to an account: a merge moves profiles and touches no item.

-- Brings plain columns into one index with words.
create extension if not exists btree_gin;

-- Reading looks at every profile of an account, also at those that only keep items.
create index profile_account on profile (part, account_id);

-- How an app wants its people's profiles synced: classes switched off, own intervals.
alter table app add column sync json not null default '{}';

-- When a profile is due. `next_run_at` is the truth; a job is only a wake-up. Null: not scheduled.
create table profile_sync (
  part        smallint not null,
  profile_id  text collate "C" not null,
  app_id      text collate "C" not null,
  service     text collate "C" not null,
  next_run_at bigint,
  -- Whoever wrote this last may settle; a worker that was frozen and overtaken finds another value and writes nothing.
  lease_token text collate "C",
  -- Number of the newest change of this profile; handed out under this row's lock, so that order is commit order.
  seq         bigint not null,
  primary key (part, profile_id)
);
-- By app and service first: one app with a million due profiles must not stand before all others.
create index profile_sync_due on profile_sync (app_id, service, next_run_at, part);

create table endpoint_sync (
  part            smallint not null,
  profile_id      text collate "C" not null,
  endpoint        text collate "C" not null,
  next_run_at     bigint not null,
  interval_ms     bigint not null,
  -- How far the last finished walk got, and where an unfinished one goes on.
  mark            json,
  walk            json,
  -- Ids that an unfinished walk has shown so far, 16 bytes each; without them nobody could tell at its end what is gone.
  seen            bytea,
  -- What the service called the last answer (ETag or Last-Modified), and for which request.
  etag            text,
  -- Grows with every reset: items read under an older epoch count as changed.
  epoch           integer not null,
  items           bigint not null,
  fails           integer not null,
  faults          bigint not null,
  quarantined     bigint not null,
  -- Deletes that were too many to believe without somebody's word.
  suspect_deletes integer not null,
  -- Somebody gave their word: the next whole walk deletes what it misses, however much that is.
  confirm_deletes boolean not null default false,
  first_done_at   bigint,
  last_run_at     bigint,
  last_error      text,
  primary key (part, profile_id, endpoint)
);

create table item (
  part         smallint not null,
  profile_id   text collate "C" not null,
  -- The hash of the IDR; the public id adds the owner's partition.
  id           uuid not null,
  endpoint     text collate "C" not null,
  native_id    text collate "C" not null,
  at           bigint not null,
  updated_at   bigint not null,
  -- Order of changes within the profile: the table is its own change log.
  seq          bigint not null,
  hash         bytea not null,
  -- One bit for each type (model/types.ts).
  types        integer not null,
  author       text collate "C",
  participants text[] collate "C" not null,
  guid         text[] collate "C" not null,
  lat          double precision,
  lng          double precision,
  -- Words, people and guid, each with a scope of its profile in front (store/marks.ts).
  words        tsvector not null,
  oembed       json not null,
  data         json not null,
  primary key (part, profile_id, id)
);
create index item_seq on item (part, profile_id, seq);
-- With the types in it, counting never reads the items themselves.
create index item_endpoint on item (part, profile_id, endpoint, at, id) include (types);
create index item_place on item (part, profile_id, lat, lng) where lat is not null;
create index item_found on item using gin (part, words);
-- A profile lives in one part: without knowing it, the planner believes in far fewer rows than there are.
create statistics item_owner (dependencies) on part, profile_id from item;

-- One ordered path for each type, entered only by items of that type.
create index item_photos on item (part, profile_id, at, id) where (types & 1) <> 0;
create index item_videos on item (part, profile_id, at, id) where (types & 2) <> 0;
create index item_statuses on item (part, profile_id, at, id) where (types & 4) <> 0;
create index item_news on item (part, profile_id, at, id) where (types & 8) <> 0;
create index item_checkins on item (part, profile_id, at, id) where (types & 16) <> 0;
create index item_events on item (part, profile_id, at, id) where (types & 32) <> 0;
create index item_messages on item (part, profile_id, at, id) where (types & 64) <> 0;
create index item_files on item (part, profile_id, at, id) where (types & 128) <> 0;
create index item_tracks on item (part, profile_id, at, id) where (types & 256) <> 0;
create index item_activities on item (part, profile_id, at, id) where (types & 512) <> 0;
create index item_measures on item (part, profile_id, at, id) where (types & 1024) <> 0;
create index item_contacts on item (part, profile_id, at, id) where (types & 2048) <> 0;
create index item_photos_feed on item (part, profile_id, at, id) where (types & 4096) <> 0;
create index item_videos_feed on item (part, profile_id, at, id) where (types & 8192) <> 0;
create index item_statuses_feed on item (part, profile_id, at, id) where (types & 16384) <> 0;
create index item_news_feed on item (part, profile_id, at, id) where (types & 32768) <> 0;
create index item_checkins_feed on item (part, profile_id, at, id) where (types & 65536) <> 0;
create index item_all on item (part, profile_id, at, id) where (types & 2047) <> 0;
create index item_all_feed on item (part, profile_id, at, id) where (types & 126976) <> 0;

-- What is gone, so that whoever follows the order of changes learns of it.
create table item_gone (
  part       smallint not null,
  profile_id text collate "C" not null,
  seq        bigint not null,
  id         uuid not null,
  endpoint   text collate "C" not null,
  native_id  text collate "C" not null,
  gone_at    bigint not null,
  primary key (part, profile_id, seq)
);

-- Records that could not be stored: counted, sampled, never in the way of the others.
create table quarantine (
  part       smallint not null,
  profile_id text collate "C" not null,
  endpoint   text collate "C" not null,
  id         text collate "C" not null,
  reason     text not null,
  sample     text not null,
  seen_at    bigint not null,
  primary key (part, profile_id, endpoint, id)
);

-- Calls that may still be made: by an app to a service, for one person, by everybody. Small, hot, beside the engine: not cut into parts.
create table budget (
  bucket        text collate "C" primary key,
  tokens        double precision not null,
  refilled_at   bigint not null,
  blocked_until bigint not null,
  -- What the last taker got: told by the statement that took it.
  granted       double precision not null
);
