import { newId, shardFor } from '#platform/ids.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

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
  'insert into audit (shard, id, at, actor, action, app_id, account_id, detail) values ($1, $2, $3, $4, $5, $6, $7, $8)',
)

/** Written in the transaction of what it tells, so that neither is there without the other. */
export async function writeAudit(tx: Queries, entry: AuditEntry): Promise<void> {
  await tx.count(insert, [
    entry.shard,
    newId(entry.at),
    entry.at,
    entry.actor,
    entry.action,
    entry.appId ?? null,
    entry.accountId ?? null,
    JSON.stringify(entry.detail ?? {}),
  ])
}

/** About an app; in the part that its id leads to. */
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

export function auditDestination(
  tx: Queries,
  destination: { id: string; appId: string },
  event: AuditEvent,
): Promise<void> {
  return auditApp(tx, destination.appId, { ...event, detail: { destination: destination.id, ...event.detail } })
}
