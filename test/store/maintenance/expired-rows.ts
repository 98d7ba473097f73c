import type { Client } from 'pg'
import { fillTable } from './fill-table.ts'

/** A time long before `nowMs` of the tests. */
const OLD = '1000'
export const NOW_MS = 1_900_000_000_000
/** Long after all that tests do. */
const LATER = '1950000000000'
const KNOWN = `'dst_known'`

interface Expired {
  task: string
  table: string
  /** Columns of a row that the task deletes. */
  old: Record<string, string>
  /** Columns of a row that it keeps. */
  kept: Record<string, string>
}

const at = (column: string, task: string, table: string, more: Record<string, string> = {}): Expired => ({
  task,
  table,
  old: { ...more, [column]: OLD },
  kept: { ...more, [column]: LATER },
})

/** Rows that each task deletes, and rows of the same table that it keeps. */
export const EXPIRED: readonly Expired[] = [
  at('window_start', 'attempts', 'attempt'),
  at('at', 'calls', 'call_log'),
  at('at', 'operations', 'operation', { kind: `'sync'`, outcome: `'ok'`, steps: `'[]'` }),
  at('revoked_at', 'access_tokens', 'access_token'),
  { task: 'audit', table: 'audit', old: { id: `'0000000001' || n` }, kept: { id: `'zzzz' || n` } },
  at('refilled_at', 'rate_limits', 'rate_limit'),
  at('at', 'deliveries', 'delivery'),
  at('at', 'events', 'push_event', { destination_id: KNOWN }),
  at('at', 'feeds', 'feed_entry', { destination_id: KNOWN, pos: 'n', kind: `'removed'` }),
  at('finished_at', 'app_deletions', 'app_deletion'),
  at('finished_at', 'deletion_requests', 'deletion_request'),
  at('kept_until', 'hook_records', 'hook_record'),
  at('expires_at', 'uploads', 'upload'),
  at('began_at', 'registrations', 'service_registration', { app_id: `'app'`, sealed: `''`, lease_until: LATER }),
  at('expires_at', 'idempotency_keys', 'idempotency_key'),
  at('expires_at', 'proxy_tokens', 'proxy_token', { shard: '1', account_id: `'account'` }),
  {
    task: 'orphan_cursors',
    table: 'delivery_cursor',
    old: { destination_id: `'gone' || n % 2` },
    kept: { destination_id: KNOWN },
  },
  {
    task: 'orphan_dead_letters',
    table: 'dead_letter',
    old: { destination_id: `'gone' || n % 2` },
    kept: { destination_id: KNOWN },
  },
  {
    task: 'orphan_delivered_items',
    table: 'delivered_item',
    old: { destination_id: `'gone' || n % 2` },
    kept: { destination_id: KNOWN },
  },
  {
    task: 'orphan_decisions',
    table: 'people_decision',
    old: { kind: `'join'` },
    kept: { kind: `'join'`, shard: '1', account_id: `'account'` },
  },
  { task: 'spending', table: 'spending', old: { month: `'2001-01'` }, kept: { month: `'2030-01'` } },
  at('hour', 'item_hours', 'item_hour'),
  at('expires_at', 'operator_sessions', 'operator_session', {
    operator_id: `'operator'`,
    method: `'password'`,
    seen_at: LATER,
  }),
  at('expires_at', 'operator_links', 'operator_link', { role: `'operator'` }),
  at('expires_at', 'passkey_challenges', 'answered_challenge'),
  at('expires_at', 'pending_sign_ins', 'pending'),
  at('used_at', 'used_codes', 'consent', { kind: `'code'` }),
  {
    task: 'open_sign_ins',
    table: 'open_sign_in',
    old: { minutes: `'{1000}'`, counts: `'{1}'` },
    kept: { minutes: `'{${LATER}}'`, counts: `'{1}'` },
  },
  at('expires_at', 'applied_tokens', 'applied_token'),
  at('expires_at', 'agent_grants', 'agent_grant'),
  at('expires_at', 'agent_grants', 'agent_token', { kind: `'access'` }),
  at('expires_at', 'reconnect_links', 'reconnect_link'),
  at('expires_at', 'connections_sessions', 'connections_session'),
  at('expires_at', 'connect_sessions', 'connect_session'),
  at('until', 'grant_revocations', 'grant_revocation'),
]

/** What the rows belong to. */
export async function fillOwners(client: Client): Promise<void> {
  await fillTable(client, 'app', 1, { id: `'app'` })
  await fillTable(client, 'account', 1, { shard: '1', id: `'account'`, app_id: `'app'`, shards: `'{1}'` })
  await fillTable(client, 'operator', 1, { id: `'operator'`, role: `'operator'` })
  await fillTable(client, 'destination', 1, { id: KNOWN, app_id: `'app'`, kind: `'feed'`, state: `'active'` })
  await fillTable(client, 'feed', 1, { destination_id: KNOWN, head: '100', read_at: LATER })
}

/** Rows of one table: so many that have ended, with the numbers from 1 on, and one that has not. */
export async function fillExpired(client: Client, { table, old, kept }: Expired, count: number): Promise<void> {
  await client.query(`delete from ${table}`)
  await fillTable(client, table, count, old)
  await fillTable(client, table, 1, kept, count + 1)
}
