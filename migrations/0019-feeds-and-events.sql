-- The time of a profile's newest event. The next one is later, whatever the clocks of the processes say, because events are
-- delivered in the order of their times.
alter table profile_sync add column event_at bigint not null default 0;

-- When every endpoint of the profile had been read for the first time, and that was reported; null: not yet. 0 in profiles
-- that are older than this column, for which nothing is reported.
alter table profile_sync add column first_completed_at bigint default 0;
alter table profile_sync alter column first_completed_at drop default;

-- The feed of an app, kept as a destination of the kind `feed`: delivering to it appends entries, which the app reads by position.
create table feed (
  destination_id text collate "C" not null references destination (id) on delete cascade,
  -- Position of the newest entry, and when it was appended.
  head           bigint not null,
  head_at        bigint not null,
  -- Entries up to this one were removed; when the newest of them was appended.
  tail           bigint not null,
  tail_at        bigint not null,
  -- When it was last read. A feed that nobody reads is removed.
  read_at        bigint not null,
  primary key (destination_id)
);

-- An entry names what changed; the content is read from the items when the entry is. Removed after some days.
create table feed_entry (
  destination_id text collate "C" not null references destination (id) on delete cascade,
  -- Assigned under the lock of the feed's row, so that the order of positions is the order of commits.
  pos            bigint not null,
  at             bigint not null,
  -- `changes` of a profile, its record and its changes (`profile`), a `removed` profile, or an `event`.
  kind           text collate "C" not null,
  profile_id     text collate "C",
  -- The changes of the profile with a greater seq than the first, up to the second.
  after_seq      bigint,
  up_to_seq      bigint,
  -- The event.
  data           json,
  primary key (destination_id, pos)
);
create index feed_entry_age on feed_entry (destination_id, at, pos);
