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

const CHANCE_LENGTH = randomSecret().length

/** The browser's own state: chance, and a keyed hash of it and of the browser's cookie, so that two tabs both finish. */
function stateFor({ hasher }: HttpDeps, browser: Buffer, chance: string): string {
  return chance + encodeBase32(hasher.hash('demo_state', `${chance} ${browser.toString('hex')}`))
}

/** What every app has to do: take a code only with a `state` that it made for this browser. */
function isOwnState(deps: HttpDeps, browser: Buffer | undefined, state: string | undefined): boolean {
  if (browser === undefined || state === undefined) return false
  const expected = Buffer.from(stateFor(deps, browser, state.slice(0, CHANCE_LENGTH)))
  const given = Buffer.from(state)
  return expected.length === given.length && timingSafeEqual(expected, given)
}

/** As an app's own “connect” button does it. Only `tributary demo` has it. */
export const demoConnect = route({
  auth: 'browser',
  summary: 'The demo app: makes a `state` for this browser and leads to the page of services',
  query: z.object({ access_token: text('Link to the account of this token.').optional() }),
  status: 302,
  reasons: ['not_found'],
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

/** Stands in for the app's own server, so that a newcomer sees the whole way without writing one. Only `tributary demo` has it. */
export const demoCallback = route({
  auth: 'browser',
  hasSideEffects: true,
  summary: 'The demo app: redeems the code and shows what to do with the token',
  type: 'text/html',
  query: z.object({
    code: text('From the redirect.').optional(),
    state: text('As the demo app made it.', 4000).optional(),
    error: text('What went wrong.').optional(),
  }),
  reasons: ['not_found', 'code_invalid'],
  run: async (deps, { query, request, reply }) => {
    const demo = deps.demo()
    if (demo === undefined) throw new ApiError('not_found')
    if (query.code === undefined)
      return notConnected(reply, html`The service said: <code>${query.error ?? 'nothing'}</code>`)
    if (!isOwnState(deps, browserOf(deps, request, 'tributary-demo'), query.state))
      return notConnected(reply, html`This sign-in did not begin in this browser, so its code is not taken.`)
    const { token, account, profile } = await exchangeCode(deps, await findDemoApp(deps, demo.clientId), {
      code: query.code,
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
