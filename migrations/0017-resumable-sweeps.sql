-- A change of a destination or an app that concerns rows of every shard: written with the change, removed when all rows have
-- it. A process that is killed in between leaves it to the planner.
alter table destination
  -- What the cursors of the destination still have to get.
  add column pending_sweep json;
alter table app
  -- Since when its endpoints are to be made due, because its rules changed.
  add column wake_requested_at bigint;
