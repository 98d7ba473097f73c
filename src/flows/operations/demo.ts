import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from '#model/app.ts'
import type { Clock } from '#platform/clock.ts'
import { encodeBase32, randomSecret } from '#platform/ids.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { Keyring } from '#platform/sealing.ts'
import { insertApp, updateApp } from '#store/apps/apps.ts'
import { putServiceKey } from '#store/apps/service-keys.ts'
import type { Hasher } from '#store/vault.ts'

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

/** A simulated service of the demo. */
export interface DemoService {
  service: string
  url: string
  key: string
  secret: string
}

/** Reads the demo app's id and secret from a file that only its owner can read, or creates it: they stay the same over restarts. */
export function readDemoApp(dataDir: string, baseUrl: string): DemoApp {
  const path = join(dataDir, 'demo-app.json')
  if (!existsSync(path)) {
    const made = { clientId: `app_demo${encodeBase32(randomBytes(8))}`, secret: `trs_${randomSecret()}` }
    writeFileSync(path, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  }
  chmodSync(path, 0o600)
  const { clientId, secret } = JSON.parse(readFileSync(path, 'utf8')) as { clientId: string; secret: string }
  return { clientId, secret, redirectUri: `${baseUrl}/demo/callback` }
}

/** The start of the demo: creates a `state` for the browser and redirects to the page of services. */
export const DEMO_START = '/demo/connect'

export async function ensureDemoApp(
  { database, hasher, keyring, clock }: DemoDeps,
  demo: DemoApp,
  services: DemoService[],
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
  await database.transaction(async (tx) => {
    const made = await insertApp(tx, app, {
      id: 'demo',
      hash: hasher.hash('app_secret', demo.secret),
      createdAt: now,
      expiresAt: undefined,
    })
    // The port, and with it the redirect address, may have changed since the last start.
    if (!made) await updateApp(tx, app)
    for (const { service, url, key, secret } of services) {
      await putServiceKey(
        tx,
        keyring,
        app.id,
        { service, key, scope: undefined, overrides: { base_url: url }, updatedAt: now },
        secret,
      )
    }
  })
}
