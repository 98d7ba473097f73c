import type { Sql } from './database/sql.ts'

export interface AuditEntry {
  actor: string
  action: string
  app_id: string
  account_id: string | null
  detail: Record<string, unknown>
}

/** Reads audit entries, oldest first, whose action matches a LIKE pattern; optionally of one account or app. */
export function auditTrail(
  sql: Sql,
  actions: string,
  { account = null, app = null }: { account?: string | null; app?: string | null } = {},
): Promise<AuditEntry[]> {
  return sql<AuditEntry>(
    `select actor, action, app_id, account_id, detail from audit
     where action like $1 and ($2::text is null or account_id = $2) and ($3::text is null or app_id = $3) order by at, id`,
    [actions, account, app],
  )
}
