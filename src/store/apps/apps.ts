import type { AgentSettings } from '#model/apps/agents.ts'
import type { App, ApplyPolicy, AppSecret } from '#model/apps/app.ts'
import type { Branding } from '#model/apps/branding.ts'
import type { QuotaInput } from '#model/apps/quotas.ts'
import { parseSyncRules, type SyncRules } from '#model/sync/sync-rules.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

interface AppRow {
  id: string
  name: string
  redirect_uris: string[]
  token_flow: boolean
  is_public: boolean
  apply: ApplyPolicy
  agents: AgentSettings | null
  branding: Branding | null
  services: string[] | null
  created_at: number
  deleting_at: number | null
}

interface SecretRow {
  id: string
  hash: Buffer
  created_at: number
  expires_at: number | null
}

export interface StoredSecret extends AppSecret {
  hash: Buffer
}

const columns = 'id, name, redirect_uris, token_flow, is_public, apply, created_at'
const settings = 'agents, branding, services, deleting_at'
const insert = statement(
  'app-insert',
  `insert into app (${columns}) values ($id, $name, $redirectUris, $tokenFlow, $isPublic, $apply, $createdAt)
   on conflict do nothing`,
)
// An app that is being deleted cannot be used any more.
const find = statement('app-find', `select ${columns}, ${settings} from app where id = $id and deleting_at is null`)
const findWithHashes = statement(
  'app-find-with-secrets',
  `select ${columns}, ${settings}, array(select hash from app_secret
     where app_id = app.id and coalesce(expires_at > $nowMs, true)) as hashes
   from app where id = $id and deleting_at is null`,
)
const findAny = statement('app-find-any', `select ${columns}, ${settings} from app where id = $id`)
const list = statement('app-list', `select ${columns}, ${settings} from app order by created_at, id`)
const update = statement(
  'app-update',
  `update app set name = $name, redirect_uris = $redirectUris, token_flow = $tokenFlow, is_public = $isPublic,
   apply = $apply, agents = $agents, branding = $branding, services = $services where id = $id`,
)
const remove = statement('app-delete', 'delete from app where id = $id')
const insertSecret = statement(
  'app-secret-insert',
  `insert into app_secret (app_id, id, hash, created_at) values ($appId, $id, $hash, $createdAt)
   on conflict do nothing`,
)
const listSecrets = statement(
  'app-secret-list',
  `select id, hash, created_at, expires_at from app_secret
   where app_id = $appId and coalesce(expires_at > $nowMs, true) order by created_at desc, id desc`,
)
const expireOthers = statement(
  'app-secret-limit',
  `update app_secret set expires_at = least(coalesce(expires_at, $expiresAt), $expiresAt)
   where app_id = $appId and id <> $keepId`,
)
const purgeSecrets = statement(
  'app-secret-purge',
  'delete from app_secret where app_id = $appId and expires_at <= $nowMs',
)
const removeSecret = statement(
  'app-secret-end',
  'delete from app_secret where app_id = $appId and id = $id and expires_at is not null',
)

const findSync = statement('app-sync-find', 'select sync from app where id = $id')
const lockSync = statement('app-sync-lock', 'select sync from app where id = $id for update')
const setSync = statement('app-sync-set', 'update app set sync = $sync where id = $id')

/** The app's rules for syncing the profiles of its people. */
export async function findAppSync(queries: Queries, id: string): Promise<SyncRules> {
  const [row] = await queries.rows<{ sync: unknown }>(findSync.with({ id }))
  return parseSyncRules(row?.sync ?? {})
}

/** The same, locked until the end of the transaction; undefined when there is no such app. */
export async function lockAppSync(tx: Queries, id: string): Promise<SyncRules | undefined> {
  const [row] = await tx.rows<{ sync: unknown }>(lockSync.with({ id }))
  return row && parseSyncRules(row.sync)
}

export async function setAppSync(queries: Queries, id: string, sync: SyncRules): Promise<boolean> {
  return (await queries.count(setSync.with({ id, sync: JSON.stringify(sync) }))) > 0
}

const findQuotas = statement('app-quotas-find', 'select quotas from app where id = $id')
const setQuotas = statement('app-quotas-set', 'update app set quotas = $quotas where id = $id')

/** The quotas that were set for the app; empty when all have their default. */
export async function findAppQuotas(queries: Queries, id: string): Promise<QuotaInput> {
  const [row] = await queries.rows<{ quotas: QuotaInput }>(findQuotas.with({ id }))
  return row?.quotas ?? {}
}

export async function setAppQuotas(queries: Queries, id: string, quotas: QuotaInput): Promise<boolean> {
  return (await queries.count(setQuotas.with({ id, quotas: JSON.stringify(quotas) }))) > 0
}

/** False when an app with this id exists; its secret is then unchanged. */
export async function insertApp(tx: Queries, app: App, secret: StoredSecret): Promise<boolean> {
  const { id, name, redirectUris, tokenFlow, isPublic, apply, createdAt } = app
  const added = await tx.count(insert.with({ id, name, redirectUris, tokenFlow, isPublic, apply, createdAt }))
  if (added > 0) await insertAppSecret(tx, id, secret)
  return added > 0
}

export async function findApp(queries: Queries, id: string): Promise<App | undefined> {
  const [row] = await queries.rows<AppRow>(find.with({ id }))
  return row && toApp(row)
}

/** The app, and the hashes of its valid secrets. */
export async function findAppWithHashes(
  queries: Queries,
  id: string,
  nowMs: number,
): Promise<{ app: App; hashes: Buffer[] } | undefined> {
  const [row] = await queries.rows<AppRow & { hashes: Buffer[] }>(findWithHashes.with({ id, nowMs }))
  return row && { app: toApp(row), hashes: row.hashes }
}

/** Also finds an app that is being deleted. */
export async function findAnyApp(queries: Queries, id: string): Promise<App | undefined> {
  const [row] = await queries.rows<AppRow>(findAny.with({ id }))
  return row && toApp(row)
}

export async function listApps(queries: Queries): Promise<App[]> {
  return (await queries.rows<AppRow>(list)).map(toApp)
}

export async function updateApp(queries: Queries, app: App): Promise<boolean> {
  const { id, name, redirectUris, tokenFlow, isPublic, apply } = app
  const agents = app.agents === undefined ? null : JSON.stringify(app.agents)
  const branding = app.branding === undefined ? null : JSON.stringify(app.branding)
  const services = app.services ?? null
  const values = { id, name, redirectUris, tokenFlow, isPublic, apply, agents, branding, services }
  return (await queries.count(update.with(values))) > 0
}

export async function deleteApp(queries: Queries, id: string): Promise<boolean> {
  return (await queries.count(remove.with({ id }))) > 0
}

export async function insertAppSecret(queries: Queries, appId: string, secret: StoredSecret): Promise<void> {
  const { id, hash, createdAt } = secret
  await queries.count(insertSecret.with({ appId, id, hash, createdAt }))
}

/** The valid secrets, newest first. */
export async function listAppSecrets(queries: Queries, appId: string, nowMs: number): Promise<StoredSecret[]> {
  const rows = await queries.rows<SecretRow>(listSecrets.with({ appId, nowMs }))
  return rows.map((row) => ({
    id: row.id,
    hash: row.hash,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
  }))
}

/** Makes every other secret expire at `expiresAt` at the latest, and deletes the expired ones. */
export async function retireOtherSecrets(
  tx: Queries,
  appId: string,
  keepId: string,
  expiresAt: number,
  nowMs: number,
): Promise<void> {
  await tx.count(expireOthers.with({ appId, keepId, expiresAt }))
  await tx.count(purgeSecrets.with({ appId, nowMs }))
}

/** Ends a secret that a newer one replaced. False if there is none with this id, or it is the current one. */
export async function endReplacedSecret(tx: Queries, appId: string, id: string): Promise<boolean> {
  return (await tx.count(removeSecret.with({ appId, id }))) > 0
}

function toApp(row: AppRow): App {
  return {
    id: row.id,
    name: row.name,
    redirectUris: row.redirect_uris,
    tokenFlow: row.token_flow,
    isPublic: row.is_public,
    apply: row.apply,
    ...(row.agents === null ? {} : { agents: row.agents }),
    ...(row.branding === null ? {} : { branding: row.branding }),
    ...(row.services === null ? {} : { services: row.services }),
    createdAt: row.created_at,
    ...(row.deleting_at === null ? {} : { deletingAt: row.deleting_at }),
  }
}
