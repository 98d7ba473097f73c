-- Small tables that every node may hold a copy of: read often, written by operators.

create table vault (
  name   text collate "C" primary key,
  sealed bytea not null
);

create table app (
  id            text collate "C" primary key,
  name          text not null,
  redirect_uris text[] not null,
  token_flow    boolean not null,
  created_at    bigint not null
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

-- Wrong secrets per subject (an app, an address), so that all processes count together.
create table attempt (
  subject      text collate "C" primary key,
  failures     integer not null,
  window_start bigint not null
);

-- What was done, by whom, to what. Grows with the data, so it is cut into parts like the data.
create table audit (
  part       smallint not null,
  id         text collate "C" not null,
  at         bigint not null,
  actor      text not null,
  action     text not null,
  app_id     text,
  account_id text,
  detail     json not null,
  primary key (part, id)
);
