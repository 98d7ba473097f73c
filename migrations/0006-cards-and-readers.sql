-- The cards of the item's other types, by type. Null: it has no other type.
alter table item add column cards json;

-- The version of the readers that all items of the profile were read with (kit/connector/reader-version.ts). Items of an older
-- version are read again from their stored records, in the order of their ids.
alter table profile_sync
  add column reader_version integer not null default 0,
  -- The last item that was read again; null: none yet.
  add column reread_after uuid,
  -- Attempts at the page after it, and until when a process has the lease for the current one.
  add column reread_attempts smallint not null default 0,
  add column reread_until bigint not null default 0;
