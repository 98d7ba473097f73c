-- Requests with an Idempotency-Key: one row for each key of a caller at a route, until its TTL ends.
create table idempotency_key (
  -- Of caller, route and key.
  hash        bytea primary key,
  -- The app whose deletion deletes the row; null for an operator.
  app_id      text collate "C",
  -- Of method, path, query and body: another request with the same key is refused.
  fingerprint bytea not null,
  -- Which execution has the lease. Only that one may store the response.
  claim       text collate "C" not null,
  lease_until bigint not null,
  -- Null until there is a response.
  status      smallint,
  -- Headers and body of the response.
  sealed      bytea,
  expires_at  bigint not null
);
create index idempotency_key_app on idempotency_key (app_id, hash);
create index idempotency_key_expires on idempotency_key (expires_at, hash);
