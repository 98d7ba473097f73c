-- no-transaction
-- Profiles with which a worker died; the alone lane finds them without a scan (src/store/sync/due-alone.ts).
create index concurrently profile_sync_alone on profile_sync (alone_until, shard, profile_id) where alone_until > 0;
