import { OVERRIDES, type SealedServiceKey } from '#model/app.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import type { ServiceNames } from '#model/profile-name.ts'
import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { Keyring } from '#platform/sealing.ts'
import { findApp } from '#store/apps/apps.ts'
import * as store from '#store/apps/service-keys.ts'
import { auditApp } from '#store/audit.ts'

export interface KeysDeps {
  database: Database
  keyring: Keyring
  clock: Clock
}

/** Keys may be named by an alias of a service. Without the services of this installation, names are stored as given. */
type NamedKeysDeps = KeysDeps & { registry?: ServiceNames | undefined }

export interface NewServiceKey {
  service: string
  key: string
  secret: string
  hookSecret?: string | undefined
  hookId?: string | undefined
  scope?: string | undefined
  overrides?: Record<string, string> | undefined
}

export async function setServiceKey(
  deps: NamedKeysDeps,
  appId: string,
  input: NewServiceKey,
  actor: string,
): Promise<SealedServiceKey> {
  const key: SealedServiceKey = {
    service: serviceOf(deps, checkService(input.service)),
    key: input.key,
    scope: input.scope,
    overrides: checkOverrides(input.overrides ?? {}),
    updatedAt: deps.clock.now(),
  }
  await deps.database.transaction(async (tx) => {
    await requireApp(tx, appId)
    await store.putServiceKey(tx, deps.keyring, appId, key, input.secret, {
      secret: input.hookSecret,
      id: input.hookId,
    })
    await auditApp(tx, appId, { at: key.updatedAt, actor, action: 'keys.set', detail: { service: key.service } })
  })
  return key
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

function checkOverrides(overrides: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(overrides)) {
    if (!OVERRIDES.some((known) => known === name)) {
      throw invalidInput(
        'bad_parameter',
        `overrides.${name}`,
        `cannot be overridden; allowed are ${OVERRIDES.join(', ')}.`,
      )
    }
    if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
      throw invalidInput('bad_parameter', `overrides.${name}`, `“${value}” is not an http or https address.`)
    }
  }
  return overrides
}
