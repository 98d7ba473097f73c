-- Rows that are updated often get free space on their page, so that a new version is beside the old one and indexes stay as they are,
-- and are vacuumed by their number of changes: by default that waits for a fifth of a large table.
alter table profile_sync set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
alter table endpoint_sync set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
alter table delivery_cursor set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
alter table credential set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
alter table feed set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
alter table open_sign_in set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
alter table rate_limit set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
alter table attempt set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
alter table item_hour set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

-- When an endpoint was last read to its end: in the row that the end of a run writes anyway, and no more in the wide row of `profile`.
-- Null: not since the upgrade; a process of the release before still writes `profile.synced_at`, and the later of both counts.
alter table profile_sync add column synced_at bigint;
