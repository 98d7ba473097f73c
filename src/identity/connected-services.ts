import type { App } from '#model/apps/app.ts'
import { listProfiles } from '#store/identity/profiles.ts'
import { accountOf } from './accounts.ts'
import type { IdentityDeps } from './deps.ts'

/** The services that the account of a token has; empty without a token, or with one that the sign-in will refuse. */
export async function connectedServices(
  deps: IdentityDeps,
  app: App,
  token: string | undefined,
): Promise<ReadonlySet<string>> {
  const account = token === undefined ? undefined : await accountOf(deps, token)
  if (account?.appId !== app.id) return new Set()
  return new Set((await listProfiles(deps.database, account)).map(({ service }) => service))
}
