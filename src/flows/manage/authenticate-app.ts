import type { Clock } from '#base/clock.ts'
import type { App } from '#model/app.ts'
import { ApiError } from '#model/errors.ts'
import { findApp, listAppSecrets } from '#store/apps.ts'
import { addAttempt, countAttempts } from '#store/attempts.ts'
import type { Database } from '#store/database.ts'
import type { Hasher } from '#store/vault.ts'

export interface AuthenticateNeed {
  database: Database
  hasher: Hasher
  clock: Clock
}

const WINDOW_MS = 60_000
/** Wrong secrets from one address in a minute, for one subject and for all, before it has to wait. */
export const ATTEMPTS = { perSubject: 30, perAddress: 100 }

/** The app that this id and secret belong to. Unknown app and wrong secret take the same path and give the same answer. */
export async function authenticateApp(
  need: AuthenticateNeed,
  clientId: string,
  secret: string,
  address: string,
): Promise<App> {
  await refuseGuesser(need, clientId, address)
  const now = need.clock.now()
  const [app, secrets] = await Promise.all([
    findApp(need.database, clientId),
    listAppSecrets(need.database, clientId, now),
  ])
  // A stand-in keeps the work the same when there is no such app.
  const candidates = secrets.length > 0 ? secrets.map(({ hash }) => hash) : [Buffer.alloc(32)]
  const matches = candidates.map((hash) => need.hasher.matches('app_secret', secret, hash)).some(Boolean)
  if (app !== undefined && matches) return app
  await countWrong(need, clientId, address)
  throw new ApiError('app_secret_invalid')
}

/** Refuses an address that guessed too often. Others are not touched, so nobody can lock an app out. */
export async function refuseGuesser(
  { database, clock }: AuthenticateNeed,
  subject: string,
  address: string,
): Promise<void> {
  const now = clock.now()
  const window = now - (now % WINDOW_MS)
  const byAddress = await countAttempts(database, address, window)
  if (byAddress === 0) return
  const bySubject = await countAttempts(database, key(subject, address), window)
  if (byAddress < ATTEMPTS.perAddress && bySubject < ATTEMPTS.perSubject) return
  throw new ApiError('too_many_attempts', undefined, { retryAfterS: Math.ceil((window + WINDOW_MS - now) / 1000) })
}

export async function countWrong(
  { database, clock }: AuthenticateNeed,
  subject: string,
  address: string,
): Promise<void> {
  const now = clock.now()
  const window = now - (now % WINDOW_MS)
  await addAttempt(database, address, window)
  await addAttempt(database, key(subject, address), window)
}

function key(subject: string, address: string): string {
  return `${address} ${subject.slice(0, 64)}`
}

/** The demo's own app, which proves nothing: its secret lies beside us. */
export async function findDemoApp({ database }: Pick<AuthenticateNeed, 'database'>, clientId: string): Promise<App> {
  const app = await findApp(database, clientId)
  if (app === undefined) throw new ApiError('client_unknown')
  return app
}
