-- Rows that are updated often get free space on their page, so that a new version is beside the old one and indexes stay as they are,
-- and are vacuumed by their number of changes: by default that waits for a fifth of a large table. Storage settings are not
-- inherited, so each partition gets them; a sharded server passes them on to its shards.
do $$
declare
  each record;
begin
  for each in
    select leaf.name, often.settings
    from (values
      ('profile_sync', 'fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05'),
      ('endpoint_sync', 'fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05'),
      ('delivery_cursor', 'fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05'),
      ('credential', 'fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05'),
      ('feed', 'fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500'),
      ('open_sign_in', 'fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500'),
      ('rate_limit', 'fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500'),
      ('attempt', 'fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500'),
      ('item_hour', 'autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500')
    ) as often (name, settings),
    lateral (
      select c.oid::regclass as name from pg_class c where c.oid = often.name::regclass and c.relkind = 'r'
      union all
      select t.relid from pg_partition_tree(often.name::regclass) t where t.isleaf and t.relid <> often.name::regclass
    ) as leaf
  loop
    execute format('alter table %s set (%s)', each.name, each.settings);
  end loop;
end
$$;

-- When an endpoint was last read to its end: in the row that the end of a run writes anyway, and no more in the wide row of `profile`.
-- Null: not since the upgrade; a process of the release before still writes `profile.synced_at`, and the later of both counts.
alter table profile_sync add column synced_at bigint;
