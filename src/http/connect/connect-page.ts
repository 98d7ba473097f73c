import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { checkReturn } from '#flows/sign-in/start.ts'
import { connectedServices } from '#identity/connected-services.ts'
import { AuthorizeError } from '#identity/errors.ts'
import { offersOf } from '#identity/offers.ts'
import { NOT_MODIFIED } from '../describe/description/other-responses.ts'
import { choicesPage } from '../pages/connect.ts'
import { html } from '../pages/html.ts'
import { TEXTS } from '../pages/languages/connect/index.ts'
import { speaker } from '../pages/languages/speak.ts'
import { languageFor, sendPersonPage } from '../pages/person-page.ts'
import { pageNumber, text } from '../request/parameters.ts'
import { sendFixed } from '../server/fixed-text.ts'
import { ownHosts } from '../server/own-hosts.ts'
import { route } from '../server/route.ts'
import { errorAddress } from '../sign-in/return-to-app.ts'

/** Limit: services on one page of the list, so that it stays small in every language. */
export const MAX_ON_PAGE = 25
/** Characters for all links of a page; long parameters make it shorter. */
const LINK_CHARS = 12_000
/** Limit: characters of what people search for. */
export const MAX_SEARCH = 100

export const searchScript = route({
  auth: 'browser',
  summary: 'Get the script of the search on pages of services',
  type: 'text/javascript',
  headers: ['ETag'],
  also: NOT_MODIFIED,
  run: async (_deps, { request, reply }) => {
    reply.header('cache-control', 'public, max-age=3600')
    return sendFixed(request, reply, 'text/javascript; charset=utf-8', () =>
      readFileSync(join(import.meta.dirname, 'search.js'), 'utf8'),
    )
  },
})

export const connectPage = route({
  auth: 'browser',
  signInStep: 'request',
  summary: "Show a page with the app's services; choosing one starts the sign-in",
  type: 'text/html',
  emptyIsAbsent: true,
  query: z.object({
    client_id: text("The app's client id.").optional(),
    redirect_uri: text('Where to redirect the person.').optional(),
    services: text('Names with commas between them: show only these, also ones that need no keys.').optional(),
    access_token: text(
      'Link to the account of this token. A connect session does the same without a token.',
    ).optional(),
    state: text('Returned unchanged in the redirect.', 4000).optional(),
    scope: text("Overrides the service's default scope.").optional(),
    response_type: text('`code` (default) or `token`.').optional(),
    flag: text('A variant of the sign-in that some services have, e.g. `dm`.').optional(),
    force_login: text('Request a new login at the service.').optional(),
    code_challenge: text('PKCE.').optional(),
    code_challenge_method: text('`S256`.').optional(),
    locale: text('Language of the pages, e.g. `de`; otherwise that of the browser.').optional(),
    q: text('Show only services whose name contains this.', MAX_SEARCH).optional(),
    page: pageNumber(),
  }),
  reasons: ['client_unknown', 'redirect_unregistered'],
  run: async (deps, { query: { services: named, q = '', page = 1, ...query }, request, reply, signIn }) => {
    const { app, to } = await checkReturn(signIn, query)
    const services = named?.split(',')
    const offers = await offersOf(deps, app, { services, scope: query.scope, flag: query.flag })
    const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
    const here: [string, string][] = named === undefined ? given : [...given, ['services', named]]
    const addressOf = (more: [string, string][]) => `/connect?${new URLSearchParams([...here, ...more]).toString()}`
    const searched: [string, string][] = q === '' ? [] : [['q', q]]
    const link = (service: string) =>
      `/oauth/authenticate?${new URLSearchParams([...given, ['service', service]]).toString()}`
    const language = languageFor(request, query.locale)
    const content = choicesPage({
      app,
      language,
      hosts: ownHosts(request, deps.config.baseUrl),
      offers,
      connected: await connectedServices(deps, app, query.access_token),
      query: q,
      page,
      pageSize: Math.min(MAX_ON_PAGE, Math.max(3, Math.floor(LINK_CHARS / link('').length))),
      title: speaker(TEXTS, language).plain('title', { app: app.name }),
      choose: ({ service, title }, describedBy) =>
        html`<a href="${link(service)}" aria-describedby="${describedBy}">${title}</a>`,
      searchForm: (fields) =>
        html`<form method="get" action="/connect" role="search">${here.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}${fields}</form>`,
      pageLink: (number) => addressOf([...searched, ['page', String(number)]]),
      allLink: addressOf([]),
      cancelLink: errorAddress(deps, to, new AuthorizeError('access_denied')),
    })
    return sendPersonPage(reply, { ...content, toward: to.redirectUri })
  },
})
