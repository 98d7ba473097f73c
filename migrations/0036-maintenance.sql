-- A task of maintenance: who does it, where it continues, and when it last succeeded. Written every few minutes, on the coordinator
-- of a sharded server. A row that is missing is of a task that never ran.
create table maintenance (
  task         text collate "C" primary key,
  -- Fencing token: only the process that wrote it last stores what it did.
  lease_token  text collate "C",
  lease_until  bigint not null,
  started_at   bigint not null,
  -- Where the next step continues: the key of a row, as JSON. Null: at the beginning.
  position     text,
  -- The last run that did not fail, and the last one that came to the end of what there was to do.
  succeeded_at bigint,
  completed_at bigint,
  failed_at    bigint,
  error        text,
  -- Failed runs since the last success.
  fails        integer not null default 0,
  -- Rows that the last run changed, and how long it took.
  done         bigint not null default 0,
  ms           bigint not null default 0
);

-- Tombstones up to this seq were removed, or are about to be: who has not read them must begin anew.
alter table profile_sync add column forgotten_seq bigint not null default 0;

-- Dead letters that were dropped because the destination had too many.
alter table destination add column dead_dropped bigint not null default 0;
