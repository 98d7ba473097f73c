import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callbackAddress, registrationOfKey } from '#kit/connector/service-addresses.ts'
import type { App } from '#model/apps/app.ts'
import { ApiError } from '#model/errors.ts'
import type { Clock } from '#platform/clock.ts'
import { encodeBase32, randomSecret } from '#platform/crypto/ids.ts'
import type { Keyring } from '#platform/crypto/sealing.ts'
import type { Database, Queries } from '#platform/postgres/database.ts'
import { findApp, insertApp, updateApp } from '#store/apps/apps.ts'
import { moveServiceKeys, putServiceKey } from '#store/apps/service-keys.ts'
import { auditApp } from '#store/audit.ts'
import type { Hasher } from '#store/vault.ts'
import {
  DEMO_SERVICES,
  type DemoServiceKey,
  type DemoServiceName,
  type DemoServices,
  DemoServicesUnavailable,
  demoHost,
  type RedirectUriOf,
} from './demo-services.ts'

export interface DemoDeps {
  database: Database
  hasher: Hasher
  keyring: Keyring
  clock: Clock
}

export interface DemoApp {
  clientId: string
  secret: string
  redirectUri: string
}

/** Where the demo begins. */
export const DEMO_PAGE = '/demo'

/** Reads the demo app's id and secret from a file that only its owner can read, or creates it: they stay the same over restarts. */
export function readDemoApp(dataDir: string, baseUrl: string): DemoApp {
  const path = join(dataDir, 'demo-app.json')
  if (!existsSync(path)) {
    const made = { clientId: `app_demo${encodeBase32(randomBytes(8))}`, secret: `trs_${randomSecret()}` }
    writeFileSync(path, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  }
  chmodSync(path, 0o600)
  const { clientId, secret } = JSON.parse(readFileSync(path, 'utf8')) as { clientId: string; secret: string }
  return { clientId, secret, redirectUri: `${baseUrl}${DEMO_PAGE}/callback` }
}

/** Creates the demo's app, or moves it and all keys of demo services to the address of this start. */
export async function ensureDemoApp(
  { database, hasher, keyring, clock }: DemoDeps,
  demo: DemoApp,
  services: DemoServices,
): Promise<void> {
  const now = clock.now()
  const app: App = {
    id: demo.clientId,
    name: 'Demo App',
    redirectUris: [demo.redirectUri],
    tokenFlow: true,
    isPublic: false,
    apply: 'proven',
    createdAt: now,
  }
  const keys = await services.register({ id: 'demo', name: app.name }, redirectUriOf(app.id))
  const moved = await database.transaction(async (tx) => {
    const made = await insertApp(tx, app, {
      id: 'demo',
      hash: hasher.hash('app_secret', demo.secret),
      createdAt: now,
      expiresAt: undefined,
    })
    if (!made) await updateApp(tx, await movedApp(tx, app))
    await storeKeys(tx, keyring, app.id, keys, now)
    // Other apps in test mode have keys of the same services.
    const apps = new Set<string>()
    for (const key of keys) for (const id of await moveServiceKeys(tx, key.service, overridesOf(key))) apps.add(id)
    return apps
  })
  // Their redirect addresses depend on the address of this start, and were others in older releases.
  for (const id of moved) {
    const other = id === app.id ? undefined : await findApp(database, id)
    if (other !== undefined) await services.register({ id, name: other.name }, redirectUriOf(id))
  }
}

/** The app as people changed it. The port, and with it the address of the demo's callback, may have changed since the last start. */
async function movedApp(tx: Queries, made: App): Promise<App> {
  const app = (await findApp(tx, made.id)) ?? made
  const others = app.redirectUris.filter((uri) => !uri.endsWith(`${DEMO_PAGE}/callback`))
  return { ...app, redirectUris: [...made.redirectUris, ...others] }
}

/** Test mode: gives an app keys at the demo services, which know its callback address at this server. */
export async function useDemoServices(
  { database, keyring, clock }: Omit<DemoDeps, 'hasher'>,
  services: DemoServices | undefined,
  appId: string,
  actor: string,
): Promise<DemoServiceKey[]> {
  const app = await findApp(database, appId)
  if (app === undefined) throw new ApiError('not_found', `There is no app ${appId}.`)
  const keys = await registerAt(services, app)
  const now = clock.now()
  await database.transaction(async (tx) => {
    if ((await findApp(tx, appId)) === undefined) throw new ApiError('not_found', `There is no app ${appId}.`)
    await storeKeys(tx, keyring, appId, keys, now)
    for (const { service } of keys)
      await auditApp(tx, appId, { at: now, actor, action: 'keys.set', detail: { service, demo: true } })
  })
  return keys
}

async function registerAt(services: DemoServices | undefined, app: App): Promise<DemoServiceKey[]> {
  try {
    if (services !== undefined) return await services.register({ id: app.id, name: app.name }, redirectUriOf(app.id))
  } catch (error) {
    if (!(error instanceof DemoServicesUnavailable)) throw error
  }
  throw new ApiError('demo_not_running')
}

async function storeKeys(
  tx: Queries,
  keyring: Keyring,
  appId: string,
  keys: DemoServiceKey[],
  updatedAt: number,
): Promise<void> {
  for (const one of keys) {
    const { service, key, secret } = one
    await putServiceKey(
      tx,
      keyring,
      appId,
      { service, key, scope: undefined, overrides: overridesOf(one), updatedAt },
      secret,
    )
  }
}

/** Browsers reach a demo service below the base address; this server calls it on its socket. */
function overridesOf({ service, url }: Pick<DemoServiceKey, 'service' | 'url'>): Record<string, string> {
  const page = AUTHORIZE_PATHS[service as DemoServiceName]
  return { base_url: `http://${demoHost(service as DemoServiceName)}`, authorize_url: `${url}${page}` }
}

/** The demo services are below the address of the server, which a command on the same data folder does not know. */
const redirectUriOf =
  (appId: string): RedirectUriOf =>
  ({ service, url }) => {
    const baseUrl = url.slice(0, -`${DEMO_PAGE}/services/${service}`.length)
    return callbackAddress(baseUrl, service, registrationOfKey(appId, service, overridesOf({ service, url })))
  }

const AUTHORIZE_PATHS: Record<DemoServiceName, string> = {
  'demo-social': '/oauth/authorize',
  'demo-micro': '/oauth/authenticate',
  'demo-health': '/oauth/authorize',
}

/** The address of every demo service by its host, for the egress guard. */
export const demoSockets = (socketOf: (service: DemoServiceName) => string): Record<string, string> =>
  Object.fromEntries(DEMO_SERVICES.map(({ service }) => [demoHost(service), socketOf(service)]))
