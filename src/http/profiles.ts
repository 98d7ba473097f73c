import { z } from 'zod'
import { deleteWholeAccount, disconnectProfiles } from '#flows/authorize/disconnect.ts'
import { presentPerson, presentProfiles, presentSelf } from '#flows/authorize/profiles.ts'
import { chooseProfile } from '#flows/sync/progress.ts'
import { ApiError } from '#model/errors.ts'
import { flag } from '#model/input.ts'
import { appFrom } from './access-token.ts'
import { text } from './parameters.ts'
import { route } from './route.ts'

const path = z.object({ profile: text('`service` or `id@service`, exactly.') })
const disconnected = z.object({
  deleted: z.array(
    z.object({
      profile: z.string(),
      erased: z.literal(true),
      service_token: z.enum(['revoked', 'not_supported', 'failed']),
    }),
  ),
})

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
  run: (deps, { account }) => presentPerson(deps, account),
})

export const show = route({
  auth: 'account',
  summary: "Get the service's own record of a profile",
  path,
  reasons: ['no_profile'],
  run: async (deps, call) => presentSelf(await chooseProfile(deps, call.account, call.path.profile)),
})

export const remove = route({
  auth: 'account',
  summary: 'Disconnect profiles: erase them here and revoke their tokens at the service',
  path,
  response: disconnected,
  reasons: ['no_profile'],
  run: async (deps, call) => ({ deleted: await disconnectProfiles(deps, call.account, call.path.profile) }),
})

export const removeAll = route({
  auth: 'account',
  summary: 'Delete the whole account, with its profiles and tokens',
  response: disconnected,
  run: async (deps, { account }) => ({ deleted: await deleteWholeAccount(deps, account) }),
})
