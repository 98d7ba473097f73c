-- no-transaction
-- Finds the other profiles and sign-ins of a service user, before the access of the app at the service is revoked.
create index concurrently profile_of_service_user on profile (app_id, service, native_id, shard) where merged_into is null;
create index concurrently consent_of_service_user on consent (app_id, service, native_id, shard) where used_at is null;
