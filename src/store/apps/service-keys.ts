import type { SealedServiceKey } from '#model/apps/app.ts'
import type { Keyring } from '#platform/crypto/sealing.ts'
import { firstOf } from '#platform/formats/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

export interface ServiceKeyRow {
  service: string
  key: string
  secret: Buffer
  scope: string | null
  overrides: Record<string, string>
  updated_at: number
}

/** The content of the sealed column, as JSON. */
interface Secrets {
  secret: string
  hook_secret?: string | undefined
  settings?: Record<string, string> | undefined
  hook_id?: string | undefined
}

export interface OpenServiceKey extends SealedServiceKey {
  secret: string
  /** The secret with which the service signs its webhooks, where it is another one. */
  hookSecret?: string
  /** Values of the connector's settings. */
  settings?: Record<string, string>
  /** The id of the webhook that the app registered at the service. */
  hookId?: string
}

const columns = 'service, key, secret, scope, overrides, updated_at'
const upsert = statement(
  'service-key-upsert',
  `insert into service_key (app_id, ${columns})
   values ($appId, $service, $key, $secret, $scope, coalesce($overrides::json, '{}'), $updatedAt)
   on conflict (app_id, service) do update set key = excluded.key, secret = excluded.secret, scope = excluded.scope,
     overrides = coalesce($overrides::json, service_key.overrides), updated_at = excluded.updated_at
   returning overrides`,
)
const find = statement(
  'service-key-find',
  `select ${columns} from service_key where app_id = $appId and service = $service`,
)
const list = statement('service-key-list', `select ${columns} from service_key where app_id = $appId order by service`)
const listOther = statement(
  'service-key-overrides',
  `select app_id, service, overrides from service_key where overrides::text <> '{}' order by app_id, service limit $max`,
)
const remove = statement('service-key-delete', 'delete from service_key where app_id = $appId and service = $service')

const move = statement(
  'service-key-move',
  `update service_key set overrides = $overrides where service = $service and overrides ->> 'base_url' = $baseUrl
   returning app_id`,
)

const cellOf = (appId: string, service: string) => ({
  table: 'service_key',
  row: `${appId}/${service}`,
  column: 'secret',
})

/** Without `overrides` those that are stored stay. */
type GivenServiceKey = Omit<SealedServiceKey, 'overrides'> & Partial<Pick<SealedServiceKey, 'overrides'>>

/** Returns the key as it is stored now. */
export async function putServiceKey(
  queries: Queries,
  keyring: Keyring,
  appId: string,
  key: GivenServiceKey,
  secret: string,
  hook: { secret?: string | undefined; id?: string | undefined } = {},
  settings?: Record<string, string>,
): Promise<SealedServiceKey> {
  const secrets: Secrets = { secret, hook_secret: hook.secret, hook_id: hook.id, settings }
  const rows = await queries.rows<Pick<ServiceKeyRow, 'overrides'>>(
    upsert.with({
      appId,
      service: key.service,
      key: key.key,
      secret: keyring.seal(JSON.stringify(secrets), cellOf(appId, key.service)),
      scope: key.scope ?? null,
      overrides: key.overrides === undefined ? null : JSON.stringify(key.overrides),
      updatedAt: key.updatedAt,
    }),
  )
  return { ...key, overrides: firstOf(rows).overrides }
}

/** Gives the keys of every app at an instance of a service, which `base_url` names, other addresses. Returns the apps. */
export async function moveServiceKeys(
  queries: Queries,
  service: string,
  overrides: Record<string, string>,
): Promise<string[]> {
  const rows = await queries.rows<{ app_id: string }>(
    move.with({ service, overrides: JSON.stringify(overrides), baseUrl: overrides['base_url'] ?? '' }),
  )
  return rows.map(({ app_id: appId }) => appId)
}

export async function findServiceKey(
  queries: Queries,
  keyring: Keyring,
  appId: string,
  service: string,
): Promise<OpenServiceKey | undefined> {
  const [row] = await queries.rows<ServiceKeyRow>(find.with({ appId, service }))
  return row && openServiceKey(keyring, appId, row)
}

export function openServiceKey(keyring: Keyring, appId: string, row: ServiceKeyRow): OpenServiceKey {
  const {
    secret,
    hook_secret: hookSecret,
    settings,
    hook_id: hookId,
  } = JSON.parse(keyring.open(row.secret, cellOf(appId, row.service))) as Secrets
  return {
    ...toKey(row),
    secret,
    ...(hookSecret === undefined ? {} : { hookSecret }),
    ...(settings === undefined ? {} : { settings }),
    ...(hookId === undefined ? {} : { hookId }),
  }
}

export async function listServiceKeys(queries: Queries, appId: string): Promise<SealedServiceKey[]> {
  return (await queries.rows<ServiceKeyRow>(list.with({ appId }))).map(toKey)
}

/** Keys of all apps that lead to other addresses than their connectors. */
export async function listOverrides(
  queries: Queries,
  max: number,
): Promise<{ appId: string; service: string; overrides: Record<string, string> }[]> {
  type Row = { app_id: string; service: string; overrides: Record<string, string> }
  return (await queries.rows<Row>(listOther.with({ max }))).map(({ app_id: appId, ...key }) => ({ appId, ...key }))
}

export async function deleteServiceKey(queries: Queries, appId: string, service: string): Promise<boolean> {
  return (await queries.count(remove.with({ appId, service }))) > 0
}

function toKey(row: ServiceKeyRow): SealedServiceKey {
  return {
    service: row.service,
    key: row.key,
    scope: row.scope ?? undefined,
    overrides: row.overrides,
    updatedAt: row.updated_at,
  }
}
