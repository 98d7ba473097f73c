import { createHash } from 'node:crypto'
import { encodeBase32, encodeNumber, newId, shardFor } from '#platform/crypto/ids.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { redactText } from '#platform/telemetry/redact.ts'
import { type Batch, deleteBatch, deleteSome } from './delete-in-batches.ts'

const MINUTE_MS = 60_000

/** What happened, when, and who did it: `admin`, `cli`, `app:<id>`, `person`. */
export interface AuditEvent {
  at: number
  actor: string
  action: string
  detail?: Record<string, unknown>
}

export interface AuditEntry extends AuditEvent {
  shard: number
  appId?: string | undefined
  accountId?: string | undefined
}

const insert = statement(
  'audit-insert',
  `insert into audit (shard, id, at, actor, action, app_id, account_id, detail)
   values ($shard, $id, $at, $actor, $action, $appId, $accountId, $detail)`,
)

const insertOnce = statement(
  'audit-insert-once',
  `insert into audit (shard, id, at, actor, action, app_id, account_id, detail)
   values ($shard, $id, $at, $actor, $action, $appId, $accountId, '{}') on conflict do nothing`,
)

// The newest detail, with how often it happened. A sharded server accepts no function here that depends on settings, such as
// jsonb_build_object.
const insertCounted = statement(
  'audit-insert-counted',
  `insert into audit (shard, id, at, actor, action, app_id, account_id, detail)
   values ($shard, $id, $at, $actor, $action, $appId, null, $detail)
   on conflict (shard, id) do update set at = excluded.at, detail = (excluded.detail::jsonb
     || ('{"attempts":' || (coalesce((audit.detail ->> 'attempts')::bigint, 1) + 1)::text || '}')::jsonb)::json`,
)
// Ids begin with their time.
const purge = statement('audit-purge', deleteSome('audit', 'id, shard', 'id < $beforeId'))

const findDeletion = statement(
  'audit-account-deletion',
  `select at from audit
   where shard = $shard and account_id = $accountId and app_id = $appId and action = 'account.delete' limit 1`,
)

/** When an account of the app was erased; undefined if it was not, or so long ago that the entry is gone. */
export async function findAccountDeletion(
  queries: Queries,
  { shard, id, appId }: { shard: number; id: string; appId: string },
): Promise<number | undefined> {
  const [row] = await queries.rows<{ at: number }>(findDeletion.with({ shard, accountId: id, appId }))
  return row?.at
}

/** Call it in the transaction of the action itself, so that neither is stored without the other. */
export async function writeAudit(tx: Queries, entry: AuditEntry): Promise<void> {
  const { shard, at, actor, action, appId = null, accountId = null } = entry
  await tx.count(insert.with({ shard, id: newId(at), at, actor, action, appId, accountId, detail: detailOf(entry) }))
}

const detailOf = ({ detail = {} }: AuditEvent) =>
  JSON.stringify(detail, (_name, value: unknown) => (typeof value === 'string' ? redactText(value) : value))

/**
 * About an app, what anybody can cause without credentials: one entry for each minute and action, with the number of attempts and the
 * newest detail. Any number of processes write the same one.
 */
export async function auditStrangers(queries: Queries, appId: string, event: AuditEvent): Promise<void> {
  const { at, actor, action } = event
  const minute = at - (at % MINUTE_MS)
  const name = createHash('sha256').update(`${appId} ${action} ${minute}`).digest().subarray(0, 10)
  const id = encodeNumber(minute, 10) + encodeBase32(name)
  await queries.count(
    insertCounted.with({ shard: shardFor(appId), id, at, actor, action, appId, detail: detailOf(event) }),
  )
}

/** Deletes some entries from before a time. */
export function purgeAudit(queries: Queries, beforeMs: number): Promise<Batch> {
  return deleteBatch(queries, purge.with({ beforeId: encodeNumber(beforeMs, 10) }))
}

/** About an app. The entry is stored in the shard that is derived from the app's id. */
export function auditApp(tx: Queries, appId: string, event: AuditEvent): Promise<void> {
  return writeAudit(tx, { ...event, shard: shardFor(appId), appId })
}

export function auditAccount(
  tx: Queries,
  account: { shard: number; id: string; appId: string },
  event: AuditEvent,
): Promise<void> {
  return writeAudit(tx, { ...event, shard: account.shard, appId: account.appId, accountId: account.id })
}

/** Without effect if there is an entry with this id. */
export async function auditAccountOnce(
  queries: Queries,
  { shard, id: accountId, appId }: { shard: number; id: string; appId: string },
  id: string,
  { at, actor, action }: AuditEvent,
): Promise<void> {
  await queries.count(insertOnce.with({ shard, id, at, actor, action, appId, accountId }))
}

/** About the installation or its operators. */
export function auditInstallation(tx: Queries, event: AuditEvent): Promise<void> {
  return writeAudit(tx, { ...event, shard: shardFor(event.actor) })
}

export function auditDestination(
  tx: Queries,
  destination: { id: string; appId: string },
  event: AuditEvent,
): Promise<void> {
  return auditApp(tx, destination.appId, { ...event, detail: { destination: destination.id, ...event.detail } })
}
