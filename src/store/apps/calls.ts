import { type Queries, statement } from '#platform/postgres/database.ts'

/** One call through the proxy, as far as it may be remembered. */
export interface CallEntry {
  shard: number
  /** Sorts by time. */
  id: string
  appId: string
  accountId: string
  at: number
  method: string
  service: string
  /** Without the query. */
  path: string
  status: number
  ms: number
  /** Of the answer's body. */
  bytes: number
  refreshed: boolean
  retried: boolean
  requestId: string
}

const COLUMNS = [
  ['shard', 'smallint'],
  ['id', 'text'],
  ['app_id', 'text'],
  ['account_id', 'text'],
  ['at', 'bigint'],
  ['method', 'text'],
  ['service', 'text'],
  ['path', 'text'],
  ['status', 'smallint'],
  ['ms', 'integer'],
  ['bytes', 'bigint'],
  ['refreshed', 'boolean'],
  ['retried', 'boolean'],
  ['request_id', 'text'],
] as const
/** Where a column has another name than the field. */
const FIELDS: Record<string, keyof CallEntry> = { app_id: 'appId', account_id: 'accountId', request_id: 'requestId' }
const names = COLUMNS.map(([name]) => name).join(', ')

const given = COLUMNS.map(([name, type]) => `"${FIELDS[name] ?? name}" ${type}`).join(', ')
const insert = statement(
  'call-insert',
  `insert into call_log (${names})
   select * from json_to_recordset($1) as call (${given})`,
)
const list = statement(
  'call-list',
  `select ${names} from call_log where app_id = $1 and id < $2 order by id desc limit $3`,
)
const purge = statement('call-purge', 'delete from call_log where at < $1')

/** Many at once: one statement and one value, whatever their number. */
export async function insertCalls(queries: Queries, calls: readonly CallEntry[]): Promise<void> {
  await queries.count(insert, [JSON.stringify(calls)])
}

/** The newest first. */
export async function listCalls(queries: Queries, appId: string, before: string, limit: number): Promise<CallEntry[]> {
  return (await queries.rows<Row>(list, [appId, before, limit])).map(toEntry)
}

export async function purgeCalls(queries: Queries, before: number): Promise<number> {
  return queries.count(purge, [before])
}

interface Row extends Omit<CallEntry, 'appId' | 'accountId' | 'requestId'> {
  app_id: string
  account_id: string
  request_id: string
}

function toEntry({ app_id: appId, account_id: accountId, request_id: requestId, ...same }: Row): CallEntry {
  return { ...same, appId, accountId, requestId }
}
