-- Where an app wants its data delivered. Few and read often: not cut into parts.
create table destination (
  id         text collate "C" primary key,
  app_id     text collate "C" not null references app (id) on delete cascade,
  name       text not null,
  kind       text collate "C" not null,
  -- The address with its password, and secrets of the kind; sealed.
  sealed     bytea not null,
  filter     text[] not null,
  schedule   text not null,
  options    json not null,
  state      text collate "C" not null,
  last_error text,
  -- A destination that fails is left alone as a whole until this time, then tried by one run.
  fails      integer not null,
  failing_since bigint,
  next_attempt_at bigint not null,
  -- Somebody was told that it fails, and so will be told that it works again.
  alerted    boolean not null default false,
  -- When a schedule is due next; null without one.
  next_run_at bigint,
  created_at bigint not null,
  -- A run that began before the last change stops.
  updated_at bigint not null
);
create index destination_app on destination (app_id);

-- How far each profile's changes have been delivered to each destination. Order is kept per profile, so is the place.
create table delivery_cursor (
  part           smallint not null,
  profile_id     text collate "C" not null,
  destination_id text collate "C" not null,
  -- Everything up to here is there.
  seq            bigint not null,
  -- What the destination's own checkpoint says, as far as we know; less than that means that it lost something.
  written        bigint not null,
  -- The newest change when the way was opened: up to there the destination never had anything that could be taken back.
  fresh_until    bigint not null,
  -- Grows when everything is sent again: the same rows are then new messages.
  generation     integer not null,
  -- When to look at it; null while there is nothing to do.
  due_at         bigint,
  -- Has a schedule: news does not make it due.
  paced          boolean not null,
  lease_token    text collate "C",
  -- Grows with every change, also of the profile itself; `told` is what the destination has heard of.
  news           bigint not null,
  told           bigint not null,
  -- What it was last told of the profile itself, as a digest: a change of items alone says nothing new of it.
  told_profile   text collate "C",
  -- Since when there is something that it has not heard of.
  behind_since   bigint,
  -- Grows with every run: a run that was overtaken is told apart at the destination too.
  epoch          bigint not null,
  -- The profile is gone: so must be its rows.
  erase          boolean not null,
  -- Rows were set aside; somebody wants them tried again.
  dead           boolean not null,
  redrive        boolean not null,
  fails          integer not null,
  error          text,
  rows           bigint not null,
  delivered_at   bigint,
  primary key (part, profile_id, destination_id)
);
-- What is open, by destination: a destination that waits with a million profiles stands in nobody's way.
create index delivery_cursor_open on delivery_cursor (destination_id, due_at, part) where due_at is not null or news > told;
create index delivery_cursor_destination on delivery_cursor (destination_id, part, profile_id);

-- What was tried, for people to look at. Kept for a while.
create table delivery (
  part           smallint not null,
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
  primary key (part, id)
);
create index delivery_destination on delivery (destination_id, id, part);
create index delivery_age on delivery (at, part);

-- Single rows that the destination would not take; the others went on.
create table dead_letter (
  part           smallint not null,
  profile_id     text collate "C" not null,
  destination_id text collate "C" not null,
  item_id        uuid not null,
  seq            bigint not null,
  reason         text not null,
  at             bigint not null,
  primary key (part, profile_id, destination_id, item_id)
);
create index dead_letter_destination on dead_letter (destination_id, at, part);

-- What happened, on its way to those destinations that asked to be told.
create table push_event (
  destination_id text collate "C" not null references destination (id) on delete cascade,
  id             text collate "C" not null,
  type           text collate "C" not null,
  at             bigint not null,
  data           json not null,
  primary key (destination_id, id)
);
