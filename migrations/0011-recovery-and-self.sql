-- When the last walk began that listed everything, for endpoints with a checkpoint and `wholeEvery`.
alter table endpoint_sync add column whole_at bigint;
-- The page size that the service accepted last, where it refused the endpoint's own; null: the endpoint's own.
alter table endpoint_sync add column page_size integer;
-- When the person's record was last requested from the service after the sign-in, whether it was read or not.
alter table profile_sync add column self_read_at bigint;
