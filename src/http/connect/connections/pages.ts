import { z } from 'zod'
import { readConnectionsLink, requireConnections, wayBack } from '#flows/connect/connections-session.ts'
import { listConnections } from '#flows/connect/connections-view.ts'
import { ApiError } from '#model/errors.ts'
import { flag } from '#model/input/input.ts'
import { sendExport } from '../../accounts/account-data.ts'
import { REDIRECT } from '../../describe/description/other-responses.ts'
import type { HttpReply } from '../../exchange/reply.ts'
import type { HttpRequest } from '../../exchange/request.ts'
import {
  type ConnectionsView,
  closedPage,
  connectionsLinkPage,
  connectionsPage,
  deadLinkPage,
  deletePage,
  endPage,
  type Notice,
} from '../../pages/connections.ts'
import { languageFor, sendPersonPage } from '../../pages/person-page.ts'
import { text } from '../../request/parameters.ts'
import type { HttpDeps } from '../../server/deps.ts'
import { appOfBrowser } from '../../server/last-app.ts'
import { type OtherResponse, route } from '../../server/route.ts'
import { formToken, sessionOf } from './cookie.ts'

export const CLOSED_PAGE: OtherResponse = { description: 'A page: the session has ended.', type: 'text/html' }
const DEAD_LINK: OtherResponse = { description: 'A page: the link was used or has expired.', type: 'text/html' }

/** The open page of this browser. */
export async function openView(deps: HttpDeps, request: HttpRequest): Promise<ConnectionsView> {
  const cookie = sessionOf(deps, request)
  const open = await requireConnections(deps, cookie)
  const language = languageFor(request, open.session.language)
  return { ...open, language, form: formToken(deps, cookie ?? ''), back: wayBack(open) }
}

/** A session that has ended is explained on a page in the person's language, with the way back to the app. */
export async function whileOpen(
  deps: HttpDeps,
  request: HttpRequest,
  reply: HttpReply,
  run: (view: ConnectionsView) => Promise<HttpReply>,
): Promise<HttpReply> {
  try {
    return await run(await openView(deps, request))
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'connections_closed') throw error
    return sendPersonPage(
      reply,
      closedPage('closed', languageFor(request, undefined), appOfBrowser(deps, request)),
      401,
    )
  }
}

export const show = route({
  auth: 'browser',
  summary: 'Show a person their connections; with a link, ask whether to open the page in this browser',
  type: 'text/html',
  emptyIsAbsent: true,
  query: z.object({
    ticket: text('From the link.').optional(),
    ended: text('Title of the service whose connection has ended.', 100).optional(),
    reconnected: text('Title of the service that was connected again.', 100).optional(),
    notice: text('What was just done: `reconnectFailed` or `agentEnded`.').optional(),
  }),
  also: { 303: REDIRECT, 401: CLOSED_PAGE, 403: DEAD_LINK, 410: DEAD_LINK },
  reasons: ['link_invalid'],
  run: async (deps, { query, request, reply }) => {
    if (query.ticket !== undefined) return showLink(deps, query.ticket, request, reply)
    return whileOpen(deps, request, reply, async (view) => {
      const listed = await listConnections(deps, view)
      const known = new Set(deps.registry.index().map(({ title }) => title))
      return sendPersonPage(reply, connectionsPage(view, listed, noticeOf(query, known)))
    })
  },
})

async function showLink(deps: HttpDeps, ticket: string, request: HttpRequest, reply: HttpReply): Promise<HttpReply> {
  const read = await readConnectionsLink(deps, ticket, sessionOf(deps, request))
  if (read.kind === 'own') return reply.code(303).header('location', '/connections').send()
  const { app, link } = read
  const language = languageFor(request, link.language)
  if (read.kind === 'unused')
    return sendPersonPage(reply, connectionsLinkPage(app, language, { ticket, expiresAt: link.expiresAt }))
  const page = deadLinkPage(read.kind, { app, language, back: wayBack({ app, session: link }) })
  return sendPersonPage(reply, page, read.kind === 'elsewhere' ? 403 : 410)
}

/** Anybody can write a link with these parameters, so only titles of services are repeated. */
function noticeOf(
  {
    ended,
    reconnected,
    notice,
  }: {
    ended?: string | undefined
    reconnected?: string | undefined
    notice?: string | undefined
  },
  titles: ReadonlySet<string>,
): Notice | undefined {
  if (ended !== undefined && titles.has(ended)) return { kind: 'ended', service: ended }
  if (reconnected !== undefined && titles.has(reconnected)) return { kind: 'reconnected', service: reconnected }
  return notice === 'reconnectFailed' || notice === 'agentEnded' ? { kind: notice } : undefined
}

export const askEnd = route({
  auth: 'browser',
  summary: 'Ask a person whether to end a connection',
  type: 'text/html',
  query: z.object({ profile: text('`id@service`.') }),
  also: { 303: REDIRECT, 401: CLOSED_PAGE },
  run: (deps, { query, request, reply }) =>
    whileOpen(deps, request, reply, async (view) => {
      const { connections } = await listConnections(deps, view)
      const connection = connections.find(({ profile }) => profile === query.profile)
      // Ended meanwhile, in another tab or by the app.
      if (connection === undefined) return reply.code(303).header('location', '/connections').send()
      return sendPersonPage(reply, endPage(view, connection))
    }),
})

export const askDelete = route({
  auth: 'browser',
  summary: 'Ask a person to type a word before everything is deleted',
  type: 'text/html',
  query: z.object({ wrong: flag('Another word was typed.') }),
  also: { 401: CLOSED_PAGE },
  run: (deps, { query, request, reply }) =>
    whileOpen(deps, request, reply, async (view) => sendPersonPage(reply, deletePage(view, query.wrong))),
})

export const deleted = route({
  auth: 'browser',
  summary: 'Tell a person that everything was deleted',
  type: 'text/html',
  run: async (deps, { request, reply }) =>
    sendPersonPage(reply, closedPage('deleted', languageFor(request, undefined), appOfBrowser(deps, request))),
})

export const download = route({
  auth: 'browser',
  summary: 'Download everything that is stored about the person: profiles and items, one JSON document per line',
  type: 'application/x-ndjson',
  also: { 401: CLOSED_PAGE },
  reasons: ['too_many_readers'],
  run: (deps, { request, reply }) =>
    whileOpen(deps, request, reply, ({ account }) => {
      reply.header('content-disposition', 'attachment; filename="my-data.ndjson"')
      return sendExport(deps, account, `person:${account.id}`, { request, reply })
    }),
})
