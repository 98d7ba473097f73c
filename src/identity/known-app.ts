import { type App, matchesRedirectUri } from '#model/apps/app.ts'
import { ApiError } from '#model/errors.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { findApp } from '#store/apps/apps.ts'

/** The app of a request. */
export async function requireApp(queries: Queries, clientId: string | undefined): Promise<App> {
  const param = 'client_id'
  if (clientId === undefined) throw new ApiError('client_unknown', '`client_id` is missing.', { param })
  const app = await findApp(queries, clientId)
  if (app === undefined) {
    const help = { sent: { client_id: clientId } }
    throw new ApiError('client_unknown', 'No app has this `client_id`.', { param, help })
  }
  return app
}

/** The redirect address of a request, verified as the app's own. */
export function requireRedirect(app: App, given: string | undefined): string {
  const param = 'redirect_uri'
  const { id, name, redirectUris: registered } = app
  const help = { app: { id, name }, registered, sent: given === undefined ? {} : { redirect_uri: given } }
  if (given === undefined) throw new ApiError('redirect_unregistered', '`redirect_uri` is missing.', { param, help })
  if (matchesRedirectUri(registered, given)) return given
  throw new ApiError('redirect_unregistered', 'The `redirect_uri` is not registered for this app.', { param, help })
}
