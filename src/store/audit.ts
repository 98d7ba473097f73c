import { newId } from '#base/ids.ts'
import { type Queries, statement } from './database.ts'

export interface AuditEntry {
  part: number
  at: number
  /** Who did it: `admin`, `cli`, `app:<id>`, `person`. */
  actor: string
  action: string
  appId?: string | undefined
  accountId?: string | undefined
  detail?: Record<string, unknown>
}

const insert = statement(
  'audit-insert',
  'insert into audit (part, id, at, actor, action, app_id, account_id, detail) values ($1, $2, $3, $4, $5, $6, $7, $8)',
)

/** Written in the transaction of what it tells, so that neither is there without the other. */
export async function writeAudit(tx: Queries, entry: AuditEntry): Promise<void> {
  await tx.count(insert, [
    entry.part,
    newId(entry.at),
    entry.at,
    entry.actor,
    entry.action,
    entry.appId ?? null,
    entry.accountId ?? null,
    JSON.stringify(entry.detail ?? {}),
  ])
}
