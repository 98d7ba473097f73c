-- What the calls to priced endpoints of a service have cost an app in a month (UTC), in millionths of the currency. A call is
-- counted before it is made, at the most that it may cost, and corrected when its response has arrived.
create table spending (
  shard        smallint not null,
  app_id       text collate "C" not null,
  service      text collate "C" not null,
  -- Such as 2026-11.
  month        text collate "C" not null,
  currency     text collate "C" not null,
  spent        bigint not null,
  -- When the app's limit kept a call from being made; reported once.
  reached_at   bigint,
  -- Since when the service wants to be paid first, and when it is asked again.
  unpaid_since bigint,
  unpaid_until bigint,
  primary key (shard, app_id, service, month)
);
