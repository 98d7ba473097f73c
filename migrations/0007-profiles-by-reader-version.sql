-- no-transaction
-- Finds the profiles whose items are to be read again.
create index concurrently profile_sync_reader_version on profile_sync (service, reader_version, shard, profile_id);
