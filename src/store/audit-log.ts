import { shardOf } from '#platform/crypto/ids.ts'
import { type Queries, type Statement, statement } from '#platform/postgres/database.ts'

/** One entry of the audit log. */
export interface LoggedEvent {
  id: string
  at: number
  actor: string
  action: string
  appId: string | null
  accountId: string | null
  detail: Record<string, unknown>
}

export interface AuditFilter {
  /** Undefined: of every app, and those without one. */
  apps?: readonly string[] | undefined
  actor?: string | undefined
  action?: string | undefined
  account?: string | undefined
  /** Ids begin with their time: `from` inclusive, `before` exclusive. */
  from: string
  before: string
}

interface Row {
  id: string
  at: number
  actor: string
  action: string
  app_id: string | null
  account_id: string | null
  detail: Record<string, unknown>
}

const columns = 'id, at, actor, action, app_id, account_id, detail'
const rest = `id >= $from and id < $before
  and ($actor::text is null or actor = $actor) and ($action::text is null or action = $action)
  and ($account::text is null or account_id = $account)`
const page = 'order by id desc limit $limit'
// One statement for each index: whichever filter is given, a page is a range of an index.
const newest = statement('audit-newest', `select ${columns} from audit where id >= $from and id < $before ${page}`)
const ofActor = statement('audit-of-actor', `select ${columns} from audit where actor = $actor and ${rest} ${page}`)
const ofAction = statement('audit-of-action', `select ${columns} from audit where action = $action and ${rest} ${page}`)
const ofApp = statement('audit-of-app', `select ${columns} from audit where app_id = $appId and ${rest} ${page}`)
const ofAccount = statement(
  'audit-of-account',
  `select ${columns} from audit where shard = $shard and account_id = $account
     and id >= $from and id < $before
     and ($actor::text is null or actor = $actor) and ($action::text is null or action = $action)
     and ($apps::text[] is null or app_id = any($apps)) ${page}`,
)

/** A page of entries, newest first. */
export async function listAudit(queries: Queries, filter: AuditFilter, limit: number): Promise<LoggedEvent[]> {
  const found: Row[] = []
  for (const each of statementsFor(filter, limit)) found.push(...(await queries.rows<Row>(each)))
  return found
    .toSorted((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, limit)
    .map((row) => ({
      id: row.id,
      at: row.at,
      actor: row.actor,
      action: row.action,
      appId: row.app_id,
      accountId: row.account_id,
      detail: row.detail,
    }))
}

function statementsFor(filter: AuditFilter, limit: number): Statement[] {
  const { apps, actor = null, action = null, account = null, from, before } = filter
  const values = { actor, action, account, from, before, limit }
  if (account !== null) {
    const shard = shardOf(account)
    return shard === undefined ? [] : [ofAccount.with({ ...values, shard, apps: apps ?? null })]
  }
  // Page by page for each app: a developer has few.
  if (apps !== undefined) return apps.map((appId) => ofApp.with({ ...values, appId }))
  if (actor !== null) return [ofActor.with(values)]
  if (action !== null) return [ofAction.with(values)]
  return [newest.with({ from, before, limit })]
}
