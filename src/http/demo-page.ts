import { timingSafeEqual } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { findDemoApp } from '#flows/apps/authenticate-app.ts'
import { exchangeCode } from '#flows/authorize/exchange-code.ts'
import { DEMO_START } from '#flows/operations/demo.ts'
import { ApiError } from '#model/errors.ts'
import { encodeBase32, randomSecret } from '#platform/ids.ts'
import { browserOf, rememberBrowser } from './browser.ts'
import type { HttpDeps } from './deps.ts'
import { type Html, html } from './pages/html.ts'
import { page, sendPage } from './pages/layout.ts'
import { text } from './parameters.ts'
import { route } from './route.ts'

const NONCE_LENGTH = randomSecret().length

/** A `state` for this browser: a nonce, and a keyed hash of it and the browser's cookie, so that sign-ins in two tabs both succeed. */
function stateFor({ hasher }: HttpDeps, browser: Buffer, nonce: string): string {
  return nonce + encodeBase32(hasher.hash('demo_state', `${nonce} ${browser.toString('hex')}`))
}

/** As every app must: accepts a code only with a `state` that was created for this browser. */
function isOwnState(deps: HttpDeps, browser: Buffer | undefined, state: string | undefined): boolean {
  if (browser === undefined || state === undefined) return false
  const expected = Buffer.from(stateFor(deps, browser, state.slice(0, NONCE_LENGTH)))
  const given = Buffer.from(state)
  return expected.length === given.length && timingSafeEqual(expected, given)
}

/** What the “connect” button of an app does. Only `tributary demo` has it. */
export const demoConnect = route({
  auth: 'browser',
  summary: 'Demo app: create a `state` for this browser and redirect to the page of services',
  query: z.object({ access_token: text('Link to the account of this token.').optional() }),
  status: 302,
  reasons: ['not_found'],
  headers: ['Location'],
  run: async (deps, { query, request, reply }) => {
    const demo = deps.demo()
    if (demo === undefined) throw new ApiError('not_found')
    const browser = rememberBrowser(deps, request, reply, 'tributary-demo')
    const state = stateFor(deps, browser, randomSecret())
    const link: Record<string, string> = query.access_token === undefined ? {} : { access_token: query.access_token }
    const given = { client_id: demo.clientId, redirect_uri: demo.redirectUri, state, ...link }
    return reply
      .code(302)
      .header('location', `/connect?${new URLSearchParams(given).toString()}`)
      .send()
  },
})

/** Acts as the server of an app, so that the demo works without one. Only `tributary demo` has it. */
export const demoCallback = route({
  auth: 'browser',
  hasSideEffects: true,
  summary: 'Demo app: redeem the code and show how to use the token',
  type: 'text/html',
  query: z.object({
    code: text('From the redirect.').optional(),
    state: text('As the demo app created it.', 4000).optional(),
    error: text('What went wrong.').optional(),
  }),
  reasons: ['not_found', 'code_invalid'],
  also: { 400: { description: 'A page: not connected.', type: 'text/html' } },
  run: async (deps, { query, request, reply }) => {
    const demo = deps.demo()
    if (demo === undefined) throw new ApiError('not_found')
    if (query.code === undefined)
      return notConnected(reply, html`The service said: <code>${query.error ?? 'nothing'}</code>`)
    if (!isOwnState(deps, browserOf(deps, request, 'tributary-demo'), query.state))
      return notConnected(reply, html`This sign-in did not begin in this browser, so its code is not accepted.`)
    const { token, account, profile } = await exchangeCode(deps, await findDemoApp(deps, demo.clientId), {
      code: query.code,
      isAuthenticated: true,
    })
    const curl = (path: string) => `curl '${deps.config.baseUrl}${path}' -H 'authorization: Bearer ${token}'`
    const more = `${DEMO_START}?${new URLSearchParams({ access_token: token }).toString()}`
    return sendPage(
      reply,
      page(
        'Connected',
        html`<h1>${profile.person.name ?? profile.nativeId} is connected</h1>
<div class="card"><p>Account <code>${account.id}</code> now has a profile at <strong>${profile.service}</strong>. Its items are being read right now.</p>
<p>Read them:</p>
<pre>${curl('/types/all?limit=3')}</pre>
<pre>${curl('/types/photos?limit=3&fields=at,oembed.title,oembed.url')}</pre>
<pre>${curl(`/profiles/${profile.service}/sync`)}</pre>
<p><a class="button" href="${more}">Connect another service to this account</a></p></div>
<p class="soft">In your own app the code goes to your server, which redeems it with the client secret; the token never shows up in a browser.</p>`,
      ),
    )
  },
})

function notConnected(reply: FastifyReply, why: Html): FastifyReply {
  const body = html`<h1>Not connected</h1><div class="card"><p>${why}</p><p><a class="button" href="${DEMO_START}">Try again</a></p></div>`
  return sendPage(reply, page('Not connected', body), 400)
}
