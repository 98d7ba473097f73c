-- no-transaction
-- Profiles in the order in which they were counted; those that never were come first.
create index concurrently profile_sync_recounted on profile_sync (coalesce(recounted_at, 0), shard, profile_id);
