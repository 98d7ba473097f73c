import { z } from 'zod'
import { presentSelfItem } from '#flows/read/present-self.ts'
import { chooseProfile } from '#flows/sync/progress.ts'
import { deleteWholeAccount, disconnectProfiles } from '#identity/disconnect.ts'
import { presentPerson } from '#identity/person.ts'
import { presentProfiles } from '#identity/profiles.ts'
import { REVOCATION_RESULT_NAMES } from '#model/accounts/revocation.ts'
import { ApiError } from '#model/errors.ts'
import { flag } from '#model/input/input.ts'
import { showing } from '#model/item-filter/schema.ts'
import { NOT_MODIFIED } from '../describe/description/other-responses.ts'
import { sendItem } from '../read/send-items.ts'
import { text } from '../request/parameters.ts'
import { route } from '../server/route.ts'
import { oneItem } from '../shapes/items.ts'
import { ownPerson, profiles } from '../shapes/people.ts'
import { appFrom } from '../sign-in/access-token.ts'

const path = z.object({ profile: text('`service` or `id@service`, exactly.') })
const disconnected = z
  .object({
    deleted: z.array(
      z.object({
        profile: z.string(),
        erased: z.literal(true),
        service_token: z.enum(REVOCATION_RESULT_NAMES).describe('What was done with the token at the service.'),
      }),
    ),
  })
  .meta({ id: 'Disconnected', description: 'The profiles that were erased.' })

export const list = route({
  auth: 'account',
  summary: 'List all profiles of the account',
  query: z.object({
    full: flag('Return objects with the full records instead of ids.'),
    auth: flag("Return objects with the services' tokens; requires the app's secret."),
    client_id: text('With `auth`; or HTTP Basic.').optional(),
    client_secret: text('With `auth`; or HTTP Basic.').optional(),
  }),
  reasons: ['app_secret_invalid'],
  response: profiles,
  run: async (deps, { query, account, request }) => {
    if (query.auth) {
      const app = await appFrom(deps, request, query)
      if (app.id !== account.appId) throw new ApiError('app_secret_invalid')
    }
    return presentProfiles(deps, account, { auth: query.auth, full: query.full })
  },
})

export const person = route({
  auth: 'account',
  summary: 'Get the person, merged from all profiles',
  response: ownPerson,
  run: (deps, { account }) => presentPerson(deps, account),
})

export const show = route({
  auth: 'account',
  summary: "Get the service's own record of a profile, as an item",
  path,
  query: z.object(showing),
  reasons: ['no_profile'],
  response: oneItem,
  headers: ['ETag'],
  also: NOT_MODIFIED,
  run: async (deps, { account, path: { profile }, query, ...exchange }) =>
    sendItem(exchange, presentSelfItem(deps, await chooseProfile(deps, account, profile), query)),
})

export const remove = route({
  auth: 'account',
  dangerous: true,
  summary: 'Disconnect profiles: erase them here and revoke their tokens at the service',
  path,
  response: disconnected,
  reasons: ['no_profile'],
  run: async (deps, { account, operator, path: { profile }, request }) => {
    const deleted = await disconnectProfiles(deps, account, profile, operator?.actor)
    request.server.forgetAccount(account.id)
    return { deleted }
  },
})

export const removeAll = route({
  auth: 'account',
  dangerous: true,
  summary: 'Delete the whole account, with its profiles and tokens',
  response: disconnected,
  run: async (deps, { account, operator, request }) => {
    const { deleted } = await deleteWholeAccount(deps, account, operator?.actor)
    request.server.forgetAccount(account.id)
    return { deleted }
  },
})
