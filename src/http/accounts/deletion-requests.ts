import { z } from 'zod'
import { deletionStatus, endAccess, requestDeletion } from '#flows/accounts/deletion-requests.ts'
import { deletionPage } from '../pages/deletion.ts'
import { languageFor, sendPersonPage } from '../pages/person-page.ts'
import { text } from '../request/parameters.ts'
import { route } from '../server/route.ts'
import { guardedBy, hookCall, rawBodyOf } from '../sync/hooks.ts'

const path = z.object({ service: z.string(), client_id: z.string() })

export const requested = route({
  auth: 'none',
  ignoresUnknown: true,
  summary: "Receive a service's request to delete everything that is stored of a person (Meta: data deletion callback)",
  path,
  rawBody: true,
  response: z.object({
    url: z.string().describe('A page with the status of the request, for the person.'),
    confirmation_code: z.string(),
  }),
  reasons: ['not_found', 'hook_refused', 'bad_body', 'too_many_attempts'],
  run: async (deps, call) =>
    requestDeletion(deps, hookCall(call.path, call.request, rawBodyOf(call.request)), guardedBy(deps, call)),
})

export const deauthorized = route({
  auth: 'none',
  ignoresUnknown: true,
  summary: 'Receive the notice of a service that a person removed the app (Meta: deauthorize callback)',
  path,
  rawBody: true,
  response: z.object({ ended: z.number().describe('Profiles that need a new sign-in now.') }),
  reasons: ['not_found', 'hook_refused', 'bad_body', 'too_many_attempts'],
  run: async (deps, call) => ({
    ended: await endAccess(deps, hookCall(call.path, call.request, rawBodyOf(call.request)), guardedBy(deps, call)),
  }),
})

export const status = route({
  auth: 'browser',
  summary: 'Show a person the status of a deletion that was requested at a service',
  type: 'text/html',
  path: z.object({ code: z.string().max(100).describe('The confirmation code.') }),
  query: z.object({ locale: text('Language of the page, e.g. `de`; otherwise that of the browser.').optional() }),
  emptyIsAbsent: true,
  also: { 404: { description: 'A page: the code is unknown.', type: 'text/html' } },
  run: async (deps, { path: { code }, query, request, reply }) => {
    const found = await deletionStatus(deps, code)
    const page = deletionPage(code, found, languageFor(request, query.locale))
    return sendPersonPage(reply, page, found === undefined ? 404 : 200)
  },
})
