-- How often a worker process died while it worked on this, since it last ended well. At three it is parked.
alter table endpoint_sync add column deaths smallint not null default 0;
alter table destination add column deaths smallint not null default 0;

-- Until then its work runs alone in a process, because a worker died with it.
alter table profile_sync add column alone_until bigint not null default 0;
alter table destination add column alone_until bigint not null default 0;

-- Few or none, and asked for by people and metrics.
create index endpoint_sync_parked on endpoint_sync (part, profile_id, endpoint) where deaths >= 3;
