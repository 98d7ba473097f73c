import { z } from 'zod'
import { revokeGrantOf } from '#flows/agents/grants.ts'
import { openConnections, PERSON } from '#flows/connect/connections-session.ts'
import { listConnections } from '#flows/connect/connections-view.ts'
import { createReconnectLink } from '#flows/connect/reconnect-link.ts'
import { profileIn } from '#flows/sync/progress.ts'
import { deleteWholeAccount, disconnectProfiles } from '#identity/disconnect.ts'
import { ApiError, type Reason } from '#model/errors.ts'
import type { HttpReply } from '../../exchange/reply.ts'
import type { HttpRequest } from '../../exchange/request.ts'
import type { ConnectionsView } from '../../pages/connections.ts'
import { TEXTS } from '../../pages/languages/connections/index.ts'
import { speaker } from '../../pages/languages/speak.ts'
import { text } from '../../request/parameters.ts'
import type { HttpDeps } from '../../server/deps.ts'
import { rememberApp } from '../../server/last-app.ts'
import { route } from '../../server/route.ts'
import { checkForm, forgetSession, rememberSession } from './cookie.ts'
import { CLOSED_PAGE, whileOpen } from './pages.ts'

const form = text('From the page.')
/** A form of the page leads to a page, so that reload and Back send nothing again. */
const REDIRECTS = { status: 303 as const, headers: ['Location' as const] }
const IN_OPEN_PAGE = { ...REDIRECTS, also: { 401: CLOSED_PAGE } }

export const open = route({
  auth: 'browser',
  ...REDIRECTS,
  summary: 'Open the page of connections in this browser; the link is used up',
  body: z.object({ ticket: text('From the link.') }),
  run: async (deps, { body, reply }) => {
    try {
      const { session, app, link } = await openConnections(deps, body.ticket)
      rememberSession(deps, reply, session)
      rememberApp(deps, reply, app, { redirectUri: link.redirectUri, state: undefined })
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'link_invalid') throw error
      // A second click, or too late: the page of the link knows which.
      return go(reply, `/connections?${new URLSearchParams({ ticket: body.ticket }).toString()}`)
    }
    return go(reply, '/connections')
  },
})

export const end = route({
  auth: 'browser',
  ...IN_OPEN_PAGE,
  summary: 'End a connection: erase the profile and revoke its token at the service; repeating it changes nothing',
  body: z.object({ profile: text('`id@service`.'), form }),
  run: (deps, { body, request, reply }) =>
    fromForm(deps, { body, request, reply }, async (view) => {
      const { connections } = await listConnections(deps, view)
      const connection = connections.find(({ profile }) => profile === body.profile)
      // The second click of two: the connection has ended.
      if (connection === undefined) return go(reply, '/connections')
      await unlessDone('no_profile', () => disconnectProfiles(deps, view.account, body.profile, PERSON))
      request.server.forgetAccount(view.account.id)
      return go(reply, `/connections?${new URLSearchParams({ ended: connection.title }).toString()}`)
    }),
})

export const reconnect = route({
  auth: 'browser',
  ...IN_OPEN_PAGE,
  summary: 'Let a person sign in again to a profile, and return to the page of connections',
  body: z.object({ profile: text('`id@service`.'), form }),
  run: (deps, { body, request, reply }) =>
    fromForm(deps, { body, request, reply }, async ({ account }) => {
      try {
        const profile = await profileIn(deps, account.id, body.profile)
        const { url } = await createReconnectLink(deps, profile, { returnsHere: true }, PERSON)
        return go(reply, url)
      } catch (error) {
        // Ended meanwhile, or the app has no keys any more.
        if (!(error instanceof ApiError) || !['no_profile', 'no_service_keys'].includes(error.reason)) throw error
        return go(reply, '/connections?notice=reconnectFailed')
      }
    }),
})

/** Where the person returns to from the service. Changes nothing: the sign-in did. */
export const reconnected = route({
  auth: 'browser',
  summary: 'Receive a person who signed in again, and go on to the page of connections',
  query: z.object({ reconnected: text('The profile.').optional() }),
  status: 302,
  headers: ['Location'],
  run: async (deps, { query, reply }) => {
    const service = query.reconnected?.split('@').at(-1)
    const title = service === undefined ? undefined : deps.registry.find(service)?.title
    const notice: Record<string, string> = title === undefined ? { notice: 'reconnectFailed' } : { reconnected: title }
    return reply
      .code(302)
      .header('location', `/connections?${new URLSearchParams(notice).toString()}`)
      .send()
  },
})

export const endAgent = route({
  auth: 'browser',
  ...IN_OPEN_PAGE,
  summary: 'End the access of an agent; repeating it changes nothing',
  body: z.object({ agent: text('From the page.'), form }),
  run: (deps, { body, request, reply }) =>
    fromForm(deps, { body, request, reply }, async ({ account }) => {
      await unlessDone('not_found', () => revokeGrantOf(deps, account, body.agent, PERSON))
      return go(reply, '/connections?notice=agentEnded')
    }),
})

export const deleteAll = route({
  auth: 'browser',
  ...IN_OPEN_PAGE,
  summary: 'Delete the whole account after the person typed the word of the page',
  body: z.object({ word: text('As the page says.', 60).optional(), form }),
  run: (deps, { body, request, reply }) =>
    fromForm(deps, { body, request, reply }, async (view) => {
      const expected = speaker(TEXTS, view.language).plain('deleteWord')
      if (plainWord(body.word ?? '') !== plainWord(expected)) return go(reply, '/connections/delete?wrong=true')
      await unlessDone('token_invalid', () => deleteWholeAccount(deps, view.account, PERSON))
      request.server.forgetAccount(view.account.id)
      forgetSession(deps, reply)
      return go(reply, '/connections/deleted')
    }),
})

/** Does what a form of the open page asks for, if it is the form of this browser's session. */
function fromForm(
  deps: HttpDeps,
  { body, request, reply }: { body: { form: string }; request: HttpRequest; reply: HttpReply },
  act: (view: ConnectionsView) => Promise<HttpReply>,
): Promise<HttpReply> {
  return whileOpen(deps, request, reply, (view) => {
    checkForm(deps, request, body.form)
    return act(view)
  })
}

/** A second click, or somebody else at the same moment, may have done it: that is what the person wanted. */
async function unlessDone(reasonWhenDone: Reason, act: () => Promise<unknown>): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== reasonWhenDone) throw error
  }
}

/** Keyboards add capitals and spaces, and full-width forms. */
function plainWord(word: string): string {
  return word.normalize('NFKC').trim().toLowerCase()
}

function go(reply: HttpReply, location: string): HttpReply {
  return reply.code(303).header('location', location).send()
}
