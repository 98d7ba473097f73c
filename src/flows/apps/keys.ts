import type { Setting } from '#kit/auth/settings.ts'
import type { Registry } from '#kit/connector/registry.ts'
import { callbackAddress, serviceAddresses } from '#kit/connector/service-addresses.ts'
import { OVERRIDES, type SealedServiceKey } from '#model/apps/app.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import type { Clock } from '#platform/clock.ts'
import type { Keyring } from '#platform/crypto/sealing.ts'
import type { Database } from '#platform/postgres/database.ts'
import { hasUserInfo } from '#platform/user-info.ts'
import { findApp } from '#store/apps/apps.ts'
import * as store from '#store/apps/service-keys.ts'
import { auditApp } from '#store/audit.ts'

export interface KeysDeps {
  database: Database
  keyring: Keyring
  clock: Clock
}

/** Keys may be named by an alias of a service. Without the services of this installation, names are stored as given. */
type NamedKeysDeps = KeysDeps & { registry?: ServiceSettings | undefined }

/** Services by name and alias, with the settings that their connectors declare. */
interface ServiceSettings {
  find(name: string): { service: string; settings: readonly Setting[] } | undefined
}

export interface NewServiceKey {
  service: string
  key: string
  secret: string
  hookSecret?: string | undefined
  hookId?: string | undefined
  scope?: string | undefined
  /** Left out: those that are stored stay. */
  overrides?: Record<string, string> | undefined
  /** Values of the settings that the connector declares. They replace the former ones. */
  settings?: Record<string, string> | undefined
}

export async function setServiceKey(
  deps: NamedKeysDeps,
  appId: string,
  input: NewServiceKey,
  actor: string,
): Promise<SealedServiceKey> {
  const key = {
    service: serviceOf(deps, checkService(input.service)),
    key: input.key,
    scope: input.scope,
    ...(input.overrides === undefined ? {} : { overrides: checkOverrides(input.overrides) }),
    updatedAt: deps.clock.now(),
  }
  const settings = checkSettings(deps, key.service, input.settings ?? {})
  const { secret, hookSecret, hookId } = input
  const hook = { secret: hookSecret, id: hookId }
  return deps.database.transaction(async (tx) => {
    await requireApp(tx, appId)
    const stored = await store.putServiceKey(tx, deps.keyring, appId, key, secret, hook, settings)
    await auditApp(tx, appId, { at: key.updatedAt, actor, action: 'keys.set', detail: { service: key.service } })
    return stored
  })
}

/** The redirect address to enter at the service: a key with addresses of its own has one of its own. */
export function callbackOfKey(
  { registry, config }: { registry: Registry; config: { baseUrl: string } },
  appId: string,
  { service, overrides }: Pick<SealedServiceKey, 'service' | 'overrides'>,
): string {
  const connector = registry.find(service)
  if (connector === undefined) return callbackAddress(config.baseUrl, service, undefined)
  return serviceAddresses(config.baseUrl, connector, appId, overrides).callback
}

export async function listServiceKeys({ database }: KeysDeps, appId: string): Promise<SealedServiceKey[]> {
  await requireApp(database, appId)
  return store.listServiceKeys(database, appId)
}

export async function deleteServiceKey(deps: NamedKeysDeps, appId: string, name: string, actor: string): Promise<void> {
  const service = serviceOf(deps, name)
  await deps.database.transaction(async (tx) => {
    await requireApp(tx, appId)
    // An older release stored keys under an alias as well.
    const isDeleted =
      (await store.deleteServiceKey(tx, appId, service)) || (await store.deleteServiceKey(tx, appId, name))
    if (!isDeleted) throw new ApiError('not_found', `The app has no keys for ${service}.`)
    await auditApp(tx, appId, { at: deps.clock.now(), actor, action: 'keys.delete', detail: { service } })
  })
}

async function requireApp(queries: Parameters<typeof findApp>[0], appId: string): Promise<void> {
  if ((await findApp(queries, appId)) === undefined) throw new ApiError('not_found', `There is no app ${appId}.`)
}

/** A service without a connector keeps its name: a later release or an operator's file may add it. */
function serviceOf({ registry }: NamedKeysDeps, name: string): string {
  return registry?.find(name)?.service ?? name
}

function checkService(service: string): string {
  if (/^[a-z][a-z0-9-]{0,49}$/.test(service)) return service
  throw invalidInput(
    'bad_parameter',
    'service',
    `“${service}” is not a valid name: use lower-case letters, digits and dashes.`,
  )
}

/** Limit: characters of a value of a setting; a longer one is refused. */
const MAX_SETTING_CHARACTERS = 4000

/** Only declared settings, and all that are required. Values become headers and parameters, so they are one line. */
function checkSettings(
  { registry }: NamedKeysDeps,
  service: string,
  given: Record<string, string>,
): Record<string, string> | undefined {
  const declared = registry?.find(service)?.settings ?? []
  for (const [name, value] of Object.entries(given)) {
    const param = `settings.${name}`
    if (!declared.some((one) => one.name === name)) {
      const known = declared.length === 0 ? 'it has none' : declared.map((one) => one.name).join(', ')
      throw invalidInput('bad_parameter', param, `is not a setting of ${service}; its settings: ${known}.`)
    }
    if (value === '' || value.length > MAX_SETTING_CHARACTERS || /\p{Cc}/u.test(value))
      throw invalidInput('bad_parameter', param, 'must be one line, not empty and not too long.')
  }
  const missing = declared.find(({ name, required }) => required === true && given[name] === undefined)
  if (missing !== undefined)
    throw invalidInput('bad_parameter', `settings.${missing.name}`, `is required for ${service}: ${missing.title}.`)
  return Object.keys(given).length === 0 ? undefined : given
}

function checkOverrides(overrides: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(overrides)) {
    if (!OVERRIDES.some((known) => known === name)) {
      throw invalidInput(
        'bad_parameter',
        `overrides.${name}`,
        `cannot be overridden; allowed are ${OVERRIDES.join(', ')}.`,
      )
    }
    if (hasUserInfo(value))
      throw invalidInput('bad_parameter', `overrides.${name}`, 'must not contain a user name or a password.')
    if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
      throw invalidInput('bad_parameter', `overrides.${name}`, `“${value}” is not an http or https address.`)
    }
  }
  return overrides
}
