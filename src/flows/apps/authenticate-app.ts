import type { App } from '#model/apps/app.ts'
import { ApiError } from '#model/errors.ts'
import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import { findApp, findAppWithHashes } from '#store/apps/apps.ts'
import type { Hasher } from '#store/vault.ts'
import { limitGuesses } from './limit-guesses.ts'

export interface AuthenticateDeps {
  database: Database
  hasher: Hasher
  clock: Clock
}

/** Returns the app with this id and secret. An unknown app and a wrong secret take the same time and throw the same error. */
export async function authenticateApp(
  deps: AuthenticateDeps,
  clientId: string,
  secret: string,
  address: string,
): Promise<App> {
  const guess = { subject: clientId, address, secret }
  return limitGuesses(
    deps,
    guess,
    () => new ApiError('app_secret_invalid'),
    async () => {
      const { app, hashes = [] } = (await findAppWithHashes(deps.database, clientId, deps.clock.now())) ?? {}
      // Without an app a dummy hash is compared, so that the time reveals nothing.
      const candidates = hashes.length > 0 ? hashes : [Buffer.alloc(32)]
      const matches = candidates.map((hash) => deps.hasher.matches('app_secret', secret, hash)).some(Boolean)
      return matches ? app : undefined
    },
  )
}

/** The app with this id if it is a public client, which proves itself by PKCE alone. */
export async function findPublicApp(
  { database }: Pick<AuthenticateDeps, 'database'>,
  clientId: string,
): Promise<App | undefined> {
  const app = await findApp(database, clientId)
  return app?.isPublic === true ? app : undefined
}

/** Finds the demo's app without a secret: the server itself acts as the demo app. */
export function findDemoApp(deps: Pick<AuthenticateDeps, 'database'>, clientId: string): Promise<App> {
  return findNamedApp(deps, clientId)
}

/** Finds an app without a secret, for callers who may use it by other rights. */
export async function findNamedApp({ database }: Pick<AuthenticateDeps, 'database'>, clientId: string): Promise<App> {
  const app = await findApp(database, clientId)
  if (app === undefined) throw new ApiError('client_unknown')
  return app
}
