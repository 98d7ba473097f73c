-- Fields that a connector's reader could not read, the newest few of each endpoint. A row goes when its record is read without the fault.
create table reader_fault (
  part       smallint not null,
  profile_id text collate "C" not null,
  endpoint   text collate "C" not null,
  -- The item whose field was lost.
  item_id    uuid not null,
  field      text collate "C" not null,
  kind       text collate "C" not null,
  native_id  text collate "C" not null,
  message    text not null,
  seen_at    bigint not null,
  -- How often it was lost.
  times      integer not null,
  primary key (part, profile_id, endpoint, item_id, field)
);
-- Few or none, and asked for by metrics.
create index endpoint_sync_faults on endpoint_sync (part, profile_id, endpoint) where faults > 0;
create index endpoint_sync_quarantined on endpoint_sync (part, profile_id, endpoint) where quarantined > 0;

-- From here on both count what is there now, not what was ever met.
update endpoint_sync set faults = 0 where faults > 0;
update endpoint_sync e set quarantined = (
  select count(*) from quarantine q where q.part = e.part and q.profile_id = e.profile_id and q.endpoint = e.endpoint)
where e.quarantined > 0;

-- The item that the record is a version of, where it has a usable id.
alter table quarantine add column item_id uuid;
-- Whether `sample` is the whole record, so that it can be read again without the service.
alter table quarantine add column is_whole boolean not null default false;
-- How often it was met or tried again.
alter table quarantine add column times integer not null default 1;

-- Somebody asked to have the quarantined records of the endpoint read once more.
alter table endpoint_sync add column retry_quarantined boolean not null default false;
