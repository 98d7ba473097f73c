-- no-transaction
-- For reading the audit log, newest first: ids begin with their time.
create index concurrently audit_newest on audit (id, shard);
create index concurrently audit_of_app on audit (app_id, id, shard);
create index concurrently audit_of_actor on audit (actor, id, shard);
create index concurrently audit_of_action on audit (action, id, shard);
create index concurrently audit_of_account on audit (shard, account_id, id);
