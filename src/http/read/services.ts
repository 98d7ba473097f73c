import { z } from 'zod'
import { listServices } from '#flows/read/services.ts'
import { invalidInput } from '#model/errors.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { text } from '../request/parameters.ts'
import { actsForApp, hasToken, requireAccount, requireApp } from '../server/authenticate.ts'
import type { HttpDeps } from '../server/deps.ts'
import { route } from '../server/route.ts'
import { serviceList } from '../shapes/services.ts'

export const services = route({
  auth: 'none',
  summary:
    'List all services with their endpoints and types; with `client_id` or a token also whether the app has keys',
  query: z.object({ client_id: text("An app's client id.").optional() }),
  response: serviceList,
  reasons: ['client_unknown', 'token_invalid', 'token_conflict'],
  run: async (deps, { query, request }) => listServices(deps, await appOf(deps, request, query.client_id)),
})

/** The app whose keys are shown: that of the access token, the one an operator acts for, or the one that is named. */
async function appOf(deps: HttpDeps, request: HttpRequest, clientId: string | undefined): Promise<string | undefined> {
  if (!hasToken(request) && !actsForApp(request)) return clientId
  const appId = actsForApp(request) ? (await requireApp(deps, request)).id : (await requireAccount(deps, request)).appId
  if (clientId !== undefined && clientId !== appId)
    throw invalidInput('bad_parameter', 'client_id', 'is another app than that of the caller.')
  return appId
}
