-- no-transaction
-- Profiles in the order in which they were counted; those that never were come first.
create index concurrently profile_sync_recounted on profile_sync (coalesce(recounted_at, 0), shard, profile_id);
-- Tokens that were revoked are removed after a while.
create index concurrently access_token_revoked on access_token (revoked_at, shard) where revoked_at is not null;
