import { z } from 'zod'
import { type LinkBrowser, type OpenedSession, openConnectLink, startConnectLink } from '#flows/connect/connect-link.ts'
import { linkPath, SESSION_S } from '#flows/connect/connect-session.ts'
import { isSettled, syncProgress } from '#flows/sync/progress.ts'
import { AuthorizeError } from '#identity/errors.ts'
import { offersOf } from '#identity/offers.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { choicesPage } from '../pages/connect.ts'
import { connectedPage, endedPage, linkIntro, linkNotice } from '../pages/connect-link.ts'
import { html } from '../pages/html.ts'
import { TEXTS } from '../pages/languages/connect/index.ts'
import { speaker } from '../pages/languages/speak.ts'
import { languageFor, sendPersonPage } from '../pages/person-page.ts'
import { pageNumber, text } from '../request/parameters.ts'
import { browserOf, rememberBrowser } from '../server/browser.ts'
import type { HttpDeps } from '../server/deps.ts'
import { rememberApp } from '../server/last-app.ts'
import { ownHosts } from '../server/own-hosts.ts'
import type { OtherResponse } from '../server/route.ts'
import { route } from '../server/route.ts'
import { continueSignIn } from '../sign-in/continue-sign-in.ts'
import { errorAddress, returnFailure } from '../sign-in/return-to-app.ts'
import { MAX_ON_PAGE, MAX_SEARCH } from './connect-page.ts'

const OTHER_PAGE = (description: string): OtherResponse => ({ description, type: 'text/html' })
const ENDED = {
  403: OTHER_PAGE('A page: another browser uses the link.'),
  404: OTHER_PAGE('A page: the link is wrong.'),
  410: OTHER_PAGE('A page: the link has expired or was revoked.'),
}
const STATUS = { elsewhere: 403, unknown: 404, expired: 410, revoked: 410 } as const

/** Seconds between two reloads of the page with the progress. */
const REFRESH_S = 3

const query = z.object({
  ticket: text('From the link.'),
  q: text('Show only services whose name contains this.', MAX_SEARCH).optional(),
  page: pageNumber(),
})

export const show = route({
  auth: 'browser',
  summary: 'Show the services of a connect session, or what became of it; opening it does not use it up',
  type: 'text/html',
  emptyIsAbsent: true,
  query,
  also: ENDED,
  run: async (deps, { query: given, request, reply }) => {
    const opened = await openConnectLink(deps, given.ticket, linkBrowser(deps, request))
    // Before the person chooses: otherwise a response that is lost then leaves a link that belongs to a cookie nobody has.
    if (opened.kind === 'open') rememberBrowser(deps, request, reply, 'tributary-link', SESSION_S.max)
    return showLink(deps, request, reply, given, opened)
  },
})

export const start = route({
  auth: 'browser',
  signInStep: 'request',
  summary: 'Choose a service of a connect session: the link then belongs to this browser',
  body: z.object({ ticket: text('From the link.'), service: text('The service.') }),
  status: 303,
  headers: ['Location'],
  reasons: ['service_unknown', 'too_many_sign_ins'],
  run: async (deps, { body, request, reply, signIn }) => {
    const browsers = {
      link: rememberBrowser(deps, request, reply, 'tributary-link', SESSION_S.max),
      signIn: rememberBrowser(deps, request, reply),
    }
    const opened = await openConnectLink(deps, body.ticket, browsers)
    // What became of it is shown at its address, where a reload sends nothing again.
    const showWhy = () => reply.code(303).header('location', linkPath(body.ticket)).send()
    if (opened.kind !== 'open') return showWhy()
    rememberApp(deps, reply, opened.app, opened.to)
    try {
      const outcome = await startConnectLink(signIn, body.ticket, body.service, browsers, request.ip)
      // Ended, or taken by another browser, since it was read.
      return outcome === undefined ? showWhy() : continueSignIn(deps, reply, outcome)
    } catch (error) {
      return returnFailure(signIn, reply, opened.to, error)
    }
  },
})

/** Links outlive the cookie of a sign-in, so they have their own. */
function linkBrowser(deps: HttpDeps, request: HttpRequest): LinkBrowser {
  return { link: browserOf(deps, request, 'tributary-link'), signIn: browserOf(deps, request) }
}

async function showLink(
  deps: HttpDeps,
  request: HttpRequest,
  reply: HttpReply,
  given: { ticket: string; q?: string | undefined; page?: number | undefined },
  opened: OpenedSession,
): Promise<HttpReply> {
  const language = languageFor(request, opened.kind === 'unknown' ? undefined : opened.to.locale)
  if (opened.kind === 'done') {
    const progress = opened.profile && (await syncProgress(deps, opened.profile))
    const isRunning = progress !== undefined && !isSettled(progress)
    const items = Object.values(progress ?? {}).reduce((total, each) => total + each.items, 0)
    const page = connectedPage({ ...opened, language, items, isRunning })
    return sendPersonPage(reply, isRunning ? { ...page, refreshS: REFRESH_S } : page)
  }
  if (opened.kind !== 'open') return sendPersonPage(reply, endedPage(opened, language), STATUS[opened.kind])
  const { ticket, q = '', page = 1 } = given
  const { app, to, request: asked } = opened
  const path = linkPath(ticket)
  const searched = q === '' ? path : `${path}&${new URLSearchParams({ q }).toString()}`
  const content = choicesPage({
    app,
    language,
    hosts: ownHosts(request, deps.config.baseUrl),
    offers: await offersOf(deps, app, { services: asked.services, scope: asked.scope }),
    connected: opened.connected,
    query: q,
    page,
    pageSize: MAX_ON_PAGE,
    title: speaker(TEXTS, language).plain('linkTitle', { app: app.name }),
    intro: linkIntro(opened, language),
    notice: linkNotice(opened, language),
    choose: ({ service, title }, describedBy) =>
      html`<button name="service" value="${service}" aria-describedby="${describedBy}">${title}</button>`,
    around: (list) =>
      html`<form method="post" action="/connect/link"><input type="hidden" name="ticket" value="${ticket}">${list}</form>`,
    searchForm: (fields) =>
      html`<form method="get" action="/connect/link" role="search"><input type="hidden" name="ticket" value="${ticket}">${fields}</form>`,
    pageLink: (number) => `${searched}&page=${number}`,
    allLink: path,
    cancelLink: errorAddress(deps, to, new AuthorizeError('access_denied')),
  })
  return sendPersonPage(reply, { ...content, toward: to.redirectUri })
}
