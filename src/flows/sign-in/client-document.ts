import { clientDocument } from '#access/client-document.ts'
import { registeredScope, registrationKeyOf } from '#access/register-app.ts'
import type { IdentityDeps } from '#identity/deps.ts'
import { ApiError } from '#model/errors.ts'
import { findApp } from '#store/apps/apps.ts'
import { findRegistration } from '#store/apps/registrations.ts'

/** The client document of an app that has begun a sign-in at the service. Reading it registers nothing. */
export async function readClientDocument(
  deps: IdentityDeps,
  appId: string,
  service: string,
  registration: string | undefined,
): Promise<Record<string, unknown>> {
  const connector = deps.registry.find(service)
  const { auth } = connector ?? {}
  const app = await findApp(deps.database, appId)
  const found =
    app !== undefined &&
    connector?.service === service &&
    auth?.kind === 'oauth2' &&
    auth.registration?.kind === 'document'
      ? await findRegistration(
          deps.database,
          deps.keyring,
          registrationKeyOf(appId, connector, registration === undefined ? {} : { registration }),
        )
      : undefined
  if (found === undefined || app === undefined || connector === undefined || auth?.kind !== 'oauth2')
    throw new ApiError('not_found')
  return clientDocument({
    baseUrl: deps.config.baseUrl,
    app,
    connector: { ...connector, auth },
    registration,
    scope: registeredScope(auth),
    secret: found.secret,
  })
}
