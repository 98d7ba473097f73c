-- Names of destinations are unique within an app. Of several with one name, the oldest keeps it.
update destination d set name = left(d.name, 60) || ' (' || d.id || ')'
where d.kind <> 'feed' and exists (select 1 from destination o
  where o.app_id = d.app_id and o.name = d.name and o.kind <> 'feed' and (o.created_at, o.id) < (d.created_at, d.id));
alter table destination alter column name type text collate "C";
create unique index destination_name on destination (app_id, name) where kind <> 'feed';

-- The age of the oldest change of a batch when it was written: the lag of a destination over time. Null before this column.
alter table delivery add column lag_ms bigint;
