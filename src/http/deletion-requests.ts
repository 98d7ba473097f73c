import { z } from 'zod'
import { type DeletionStatus, deletionStatus, endAccess, requestDeletion } from '#flows/authorize/deletion-requests.ts'
import { guardedBy, hookCall, rawBodyOf } from './hooks.ts'
import { type Html, html } from './pages/html.ts'
import { page, sendPage } from './pages/layout.ts'
import { route } from './route.ts'

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
  also: { 404: { description: 'A page: the code is unknown.', type: 'text/html' } },
  run: async (deps, call) => {
    const found = await deletionStatus(deps, call.path.code)
    const [title, text] = found === undefined ? UNKNOWN : describe(found)
    const body = html`<h1>${title}</h1>
<div class="card">${text}<p class="soft">Confirmation code: <code>${call.path.code}</code></p></div>`
    return sendPage(call.reply, page(title, body, { narrow: true }), found === undefined ? 404 : 200)
  },
})

const UNKNOWN: [string, Html] = [
  'Unknown confirmation code',
  html`<p>There is no deletion with this code, or it was finished more than 90 days ago.</p>`,
]

function describe({ state, service, requestedAt, finishedAt, found }: DeletionStatus): [string, Html] {
  const asked = html`<p>The deletion was requested at ${service} on ${day(requestedAt)}.</p>`
  if (state === 'waiting') return ['Your data is being deleted', asked]
  if (state === 'waiting_for_destinations')
    return [
      'Your data is being deleted',
      html`${asked}<p>It is deleted here. Copies that were delivered to the app are being deleted.</p>`,
    ]
  const done = html`${asked}<p>Everything that was stored of your ${service} profile was deleted on ${day(finishedAt ?? requestedAt)}.</p>`
  return found
    ? ['Your data is deleted', done]
    : ['Nothing is stored', html`${asked}<p>Nothing was stored of your ${service} profile.</p>`]
}

function day(ms: number): Html {
  const text = new Date(ms).toISOString()
  return html`<time datetime="${text}">${text.slice(0, 10)}</time>`
}
