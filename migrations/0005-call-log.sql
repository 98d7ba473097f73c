-- Calls through the proxy, for the dashboard: no query, no header, no body. Cut into parts like the accounts, kept for days.
create table call_log (
  part       smallint not null,
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
  primary key (part, id)
);
create index call_log_app on call_log (app_id, id, part);
-- Rows come in the order of time, so that a few words of index find the old ones.
create index call_log_at on call_log using brin (at, part);
