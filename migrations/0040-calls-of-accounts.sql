-- no-transaction
-- The calls of an account in the order of time: of too many the oldest are removed, and all of them with the account.
create index concurrently call_log_account on call_log (shard, account_id, id);
