-- no-transaction
-- Lists and counts the accounts of an app by service and state, without reading the profiles themselves.
create index concurrently profile_of_app on profile (app_id, account_id, shard) include (service, state, state_until) where merged_into is null;
-- Without a list of pending entries, which every search would read to its end.
create index concurrently profile_person_terms on profile using gin (person_terms) with (fastupdate = off);
create index concurrently profile_without_terms on profile (shard, id) where person_terms is null and merged_into is null;
-- Few rows: endpoints whose last run failed or was held back, by the reason.
create index concurrently endpoint_sync_reason on endpoint_sync (last_reason, shard, profile_id) where last_reason is not null;
-- Few rows: failed deliveries.
create index concurrently delivery_failed on delivery (at, destination_id, shard) where not ok;
