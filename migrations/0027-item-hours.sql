-- Items stored per hour and app, for the overview of operators. A row is written at the end of the transaction that stores a page of
-- items, in the shard of their profile, so that the counts are exact and no transaction touches another shard for them.
create table item_hour (
  shard   smallint not null,
  app_id  text collate "C" not null,
  -- Start of the hour, in milliseconds.
  hour    bigint not null,
  added   bigint not null,
  updated bigint not null,
  primary key (shard, app_id, hour)
-- Each page updates its row again: free space keeps the new version beside the old one.
) with (fillfactor = 50);
create index item_hour_by_hour on item_hour (hour, app_id, shard);

-- What a search for people finds a profile by: words of name, handle, e-mail address and native id (store/identity/person-terms.ts).
-- Null in rows of older releases until maintenance fills it.
alter table profile add column person_terms tsvector;
