import { actorOfOperator, mayUseApp, type Operator } from '#model/apps/operator.ts'
import { encodeNumber } from '#platform/crypto/ids.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { listAudit } from '#store/audit-log.ts'
import { listOperators } from '#store/operators/operators.ts'

export interface AuditRequest {
  app?: string | undefined
  actor?: string | undefined
  action?: string | undefined
  account?: string | undefined
  since?: number | undefined
  until?: number | undefined
  cursor?: string | undefined
  limit: number
}

/** Sorts after every id. */
const LAST = '~'

/** The entries that the caller may see: all, or those of a developer's apps. */
export async function readAudit(
  { database }: { database: Queries },
  caller: Operator,
  { app, actor, action, account, since, until, cursor, limit }: AuditRequest,
) {
  const apps = appsOf(caller, app)
  const from = since === undefined ? '' : encodeNumber(since, 10)
  const end = until === undefined ? LAST : encodeNumber(until, 10)
  const before = cursor !== undefined && cursor < end ? cursor : end
  const found = await listAudit(database, { apps, actor, action, account, from, before }, limit + 1)
  const names = await namesOf(database, found)
  const entries = found.slice(0, limit).map((entry) => ({
    id: entry.id,
    at: entry.at,
    actor: entry.actor,
    actor_name: names.get(entry.actor),
    action: entry.action,
    app: entry.appId ?? undefined,
    account: entry.accountId ?? undefined,
    detail: entry.detail,
  }))
  return { entries, next: found.length > limit ? entries.at(-1)?.id : undefined }
}

/** The names of the operators among the actors; those who were removed have none any more. */
async function namesOf(database: Queries, entries: readonly { actor: string }[]): Promise<Map<string, string>> {
  if (!entries.some(({ actor }) => actor.startsWith(actorOfOperator('')))) return new Map()
  return new Map((await listOperators(database)).map(({ id, name }) => [actorOfOperator(id), name]))
}

/** Undefined: no limit by app. */
function appsOf(caller: Operator, app: string | undefined): readonly string[] | undefined {
  if (app !== undefined) return mayUseApp(caller, app) ? [app] : []
  return caller.role === 'operator' ? undefined : caller.apps
}
