import type { App, AppSecret } from '#model/app.ts'
import type { QuotaInput } from '#model/quotas.ts'
import { parseSyncRules, type SyncRules } from '#model/sync-rules.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

interface AppRow {
  id: string
  name: string
  redirect_uris: string[]
  token_flow: boolean
  created_at: number
  deleting_at: number | null
}

export interface StoredSecret extends AppSecret {
  hash: Buffer
}

const columns = 'id, name, redirect_uris, token_flow, created_at'
const insert = statement(
  'app-insert',
  `insert into app (${columns}) values ($1, $2, $3, $4, $5) on conflict do nothing`,
)
// One that is being deleted counts as gone for whoever wants to use it.
const find = statement('app-find', `select ${columns}, deleting_at from app where id = $1 and deleting_at is null`)
const findAny = statement('app-find-any', `select ${columns}, deleting_at from app where id = $1`)
const list = statement('app-list', `select ${columns}, deleting_at from app order by created_at, id`)
const update = statement('app-update', 'update app set name = $2, redirect_uris = $3, token_flow = $4 where id = $1')
const remove = statement('app-delete', 'delete from app where id = $1')
const insertSecret = statement(
  'app-secret-insert',
  'insert into app_secret (app_id, id, hash, created_at) values ($1, $2, $3, $4) on conflict do nothing',
)
const listSecrets = statement(
  'app-secret-list',
  'select id, hash, created_at, expires_at from app_secret where app_id = $1 and coalesce(expires_at > $2, true) order by created_at desc, id desc',
)
const limitSecrets = statement(
  'app-secret-limit',
  'update app_secret set expires_at = least(coalesce(expires_at, $3), $3) where app_id = $1 and id <> $2',
)
const purgeSecrets = statement('app-secret-purge', 'delete from app_secret where app_id = $1 and expires_at <= $2')

const findSync = statement('app-sync-find', 'select sync from app where id = $1')
const setSync = statement('app-sync-set', 'update app set sync = $2 where id = $1')

/** How the app wants its people's profiles synced. */
export async function findAppSync(queries: Queries, id: string): Promise<SyncRules> {
  const [row] = await queries.rows<{ sync: unknown }>(findSync, [id])
  return parseSyncRules(row?.sync ?? {})
}

export async function setAppSync(queries: Queries, id: string, sync: SyncRules): Promise<boolean> {
  return (await queries.count(setSync, [id, JSON.stringify(sync)])) > 0
}

const findQuotas = statement('app-quotas-find', 'select quotas from app where id = $1')
const setQuotas = statement('app-quotas-set', 'update app set quotas = $2 where id = $1')

/** The quotas that were set for the app; empty where all are the default. */
export async function findAppQuotas(queries: Queries, id: string): Promise<QuotaInput> {
  const [row] = await queries.rows<{ quotas: QuotaInput }>(findQuotas, [id])
  return row?.quotas ?? {}
}

export async function setAppQuotas(queries: Queries, id: string, quotas: QuotaInput): Promise<boolean> {
  return (await queries.count(setQuotas, [id, JSON.stringify(quotas)])) > 0
}

/** False when an app of this id is there already; its secret is then left as it was. */
export async function insertApp(tx: Queries, app: App, secret: StoredSecret): Promise<boolean> {
  const added = await tx.count(insert, [app.id, app.name, app.redirectUris, app.tokenFlow, app.createdAt])
  if (added > 0) await insertAppSecret(tx, app.id, secret)
  return added > 0
}

export async function findApp(queries: Queries, id: string): Promise<App | undefined> {
  const [row] = await queries.rows<AppRow>(find, [id])
  return row && toApp(row)
}

/** Also one that is being deleted, to be looked at. */
export async function findAnyApp(queries: Queries, id: string): Promise<App | undefined> {
  const [row] = await queries.rows<AppRow>(findAny, [id])
  return row && toApp(row)
}

export async function listApps(queries: Queries): Promise<App[]> {
  return (await queries.rows<AppRow>(list)).map(toApp)
}

export async function updateApp(queries: Queries, app: App): Promise<boolean> {
  return (await queries.count(update, [app.id, app.name, app.redirectUris, app.tokenFlow])) > 0
}

export async function deleteApp(queries: Queries, id: string): Promise<boolean> {
  return (await queries.count(remove, [id])) > 0
}

export async function insertAppSecret(queries: Queries, appId: string, secret: StoredSecret): Promise<void> {
  await queries.count(insertSecret, [appId, secret.id, secret.hash, secret.createdAt])
}

/** The secrets that still open, newest first. */
export async function listAppSecrets(queries: Queries, appId: string, nowMs: number): Promise<StoredSecret[]> {
  const rows = await queries.rows<{ id: string; hash: Buffer; created_at: number; expires_at: number | null }>(
    listSecrets,
    [appId, nowMs],
  )
  return rows.map((row) => ({
    id: row.id,
    hash: row.hash,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
  }))
}

/** Lets every other secret end at `expiresAt` at the latest, and drops those that ended. */
export async function retireOtherSecrets(
  tx: Queries,
  appId: string,
  keepId: string,
  expiresAt: number,
  nowMs: number,
): Promise<void> {
  await tx.count(limitSecrets, [appId, keepId, expiresAt])
  await tx.count(purgeSecrets, [appId, nowMs])
}

function toApp(row: AppRow): App {
  return {
    id: row.id,
    name: row.name,
    redirectUris: row.redirect_uris,
    tokenFlow: row.token_flow,
    createdAt: row.created_at,
    ...(row.deleting_at === null ? {} : { deletingAt: row.deleting_at }),
  }
}
