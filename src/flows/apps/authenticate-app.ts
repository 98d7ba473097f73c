import type { App } from '#model/app.ts'
import { ApiError } from '#model/errors.ts'
import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import { findApp, listAppSecrets } from '#store/apps/apps.ts'
import type { Hasher } from '#store/vault.ts'
import { limitGuesses } from './limit-guesses.ts'

export interface AuthenticateDeps {
  database: Database
  hasher: Hasher
  clock: Clock
}

/** The app that this id and secret belong to. Unknown app and wrong secret take the same path and give the same answer. */
export async function authenticateApp(
  deps: AuthenticateDeps,
  clientId: string,
  secret: string,
  address: string,
): Promise<App> {
  const guess = { subject: clientId, address, shown: secret }
  return limitGuesses(
    deps,
    guess,
    () => new ApiError('app_secret_invalid'),
    async () => {
      const [app, secrets] = await Promise.all([
        findApp(deps.database, clientId),
        listAppSecrets(deps.database, clientId, deps.clock.now()),
      ])
      // A stand-in keeps the work the same when there is no such app.
      const candidates = secrets.length > 0 ? secrets.map(({ hash }) => hash) : [Buffer.alloc(32)]
      const matches = candidates.map((hash) => deps.hasher.matches('app_secret', secret, hash)).some(Boolean)
      return matches ? app : undefined
    },
  )
}

/** The demo's own app, which proves nothing: its secret lies beside us. */
export async function findDemoApp({ database }: Pick<AuthenticateDeps, 'database'>, clientId: string): Promise<App> {
  const app = await findApp(database, clientId)
  if (app === undefined) throw new ApiError('client_unknown')
  return app
}
