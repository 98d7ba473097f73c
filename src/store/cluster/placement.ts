/**
 * Where the rows of a table are on a sharded server: divided by a column, copied to every node (`reference`), or on the
 * coordinator only (`local`). `with`: rows with the same value are on the node of that table's, even after rebalancing.
 */
export type Placement = { by: string; with?: string } | 'reference' | 'local'

/** Rows of one shard are on one node, whatever their table: statements and transactions on them need no other node. */
const SHARDED_TABLES = [
  'access_token',
  'account',
  'agent_grant',
  'agent_token',
  'applied_token',
  'audit',
  'call_log',
  'child_item',
  'child_sync',
  'connections_session',
  'connect_session',
  'consent',
  'credential',
  'dead_letter',
  'deletion_request',
  'delivered_item',
  'delivery',
  'delivery_cursor',
  'endpoint_sync',
  'grant_revocation',
  'hook_record',
  'hook_subscription',
  'item',
  'item_hour',
  'item_tombstone',
  'open_sign_in',
  'operation',
  'pending',
  'people_decision',
  'profile',
  'profile_sync',
  'proxy_token',
  'quarantine',
  'quota_notice',
  'reader_fault',
  'reconnect_link',
  'service_user',
  'spending',
  'upload',
  'upload_part',
] as const

/** Small tables, written by operators and read with everything. A write is a transaction on every node. */
const REFERENCE_TABLES = [
  'answered_challenge',
  'app',
  'app_deletion',
  'app_logo',
  'app_secret',
  'destination',
  'operator',
  'operator_link',
  'operator_passkey',
  'operator_session',
  'service_key',
  'service_registration',
  'vault',
] as const

/**
 * Tables without a shard that everybody writes: as reference tables each write would lock all nodes. They are found by one
 * key, so they are divided by it. An entry of a feed is written in one transaction with the feed's row.
 */
const KEYED_TABLES: Record<string, { by: string; with?: string }> = {
  attempt: { by: 'subject' },
  feed: { by: 'destination_id' },
  feed_entry: { by: 'destination_id', with: 'feed' },
  idempotency_key: { by: 'hash' },
  push_event: { by: 'destination_id' },
  rate_limit: { by: 'bucket' },
}

/** Every table of the schema. */
export const PLACEMENTS: ReadonlyMap<string, Placement> = new Map<string, Placement>([
  ...SHARDED_TABLES.map((table): [string, Placement] => [table, { by: 'shard' }]),
  ...Object.entries(KEYED_TABLES),
  ...REFERENCE_TABLES.map((table): [string, Placement] => [table, 'reference']),
  ['maintenance', 'local'],
  ['migration', 'local'],
  // Taken and ended by itself, at most a few times a second, so it needs no other node.
  ['named_lease', 'local'],
])
