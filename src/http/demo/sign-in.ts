import { z } from 'zod'
import { findDemoApp } from '#flows/apps/authenticate-app.ts'
import { DEMO_SERVICES, isDemoService } from '#flows/operations/demo-services.ts'
import { exchangeCode } from '#flows/sign-in/exchange-code.ts'
import { accountOf } from '#identity/accounts.ts'
import { traceSignIn } from '#identity/sign-in-trace.ts'
import { ApiError } from '#model/errors.ts'
import { createTtlCache, type TtlCache } from '#platform/waiting/ttl-cache.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { text } from '../request/parameters.ts'
import { browserOf } from '../server/browser.ts'
import type { HttpDeps } from '../server/deps.ts'
import { route } from '../server/route.ts'
import { backToPage, beginSignIn } from './begin.ts'
import { requireSameOrigin } from './same-origin.ts'
import { openSession, readRemembered, rememberSession, requireDemo, shownServices } from './session.ts'
import { readState } from './state.ts'

/** What the “connect” button of an app does. Only `tributary demo` has it. */
export const demoConnect = route({
  auth: 'browser',
  hasSideEffects: true,
  summary: 'Demo app: begin a sign-in for this browser, which adds to its account',
  query: z.object({ service: text('The demo service; without it, the page of the demo lists them.').optional() }),
  status: 303,
  reasons: ['not_found'],
  headers: ['Location'],
  run: async (deps, { query: { service }, request, reply }) => {
    requireDemo(deps)
    if (service === undefined || !isDemoService(service)) return backToPage(reply)
    const session = await openSession(deps, request)
    return beginSignIn(deps, request, reply, { service, plan: 'one', token: session?.token })
  },
})

/** One click: signs in as Ada at every service that is not connected yet, by redirects only. */
export const demoStart = route({
  auth: 'browser',
  summary: 'Demo app: connect Ada at every demo service',
  body: z.object({}),
  status: 303,
  reasons: ['not_found', 'origin_refused'],
  headers: ['Location'],
  run: async (deps, { request, reply }) => {
    requireDemo(deps)
    requireSameOrigin(deps, request)
    const session = await openSession(deps, request)
    return connectNext(deps, request, reply, session?.token, undefined)
  },
})

/** Connects the next service in order that is not connected; then back to the page. */
async function connectNext(
  deps: HttpDeps,
  request: HttpRequest,
  reply: HttpReply,
  token: string | undefined,
  after: string | undefined,
): Promise<HttpReply> {
  const account = token === undefined ? undefined : await accountOf(deps, token)
  const order = DEMO_SERVICES.map(({ service }): string => service)
  const next = (await shownServices(deps, account)).find(
    // Forward only, so that a service that stays unconnected cannot cause a circle of redirects.
    ({ service, connected }) => !connected && (after === undefined || order.indexOf(service) > order.indexOf(after)),
  )
  if (next === undefined) return backToPage(reply)
  return beginSignIn(deps, request, reply, { service: next.service, plan: 'all', token })
}

/** Acts as the server of an app, so that the demo works without one. Only `tributary demo` has it. */
export const demoCallback = route({
  auth: 'browser',
  hasSideEffects: true,
  summary: 'Demo app: redeem the code once and go back to the page of the demo',
  query: z.object({
    code: text('From the redirect.').optional(),
    state: text('As the demo app created it.', 4000).optional(),
    error: text('What went wrong.').optional(),
    error_description: text('The same in a sentence.', 4000).optional(),
  }),
  status: 303,
  reasons: ['not_found'],
  headers: ['Location'],
  run: async (deps, { query, request, reply }) => {
    requireDemo(deps)
    const own = readState(deps, browserOf(deps, request, 'tributary-demo'), query.state)
    // Also for failures: an address that somebody sent must not show a text of theirs on our page.
    if (own === undefined)
      return backToPage(reply, {
        error: 'state_invalid',
        description: 'This sign-in did not begin in this browser, or it took too long. Nothing was connected.',
      })
    if (query.code === undefined)
      return backToPage(reply, { error: query.error ?? 'code_missing', description: query.error_description })
    const remembered = readRemembered(deps, request)
    if (remembered?.redeemed.includes(own.nonce)) return backToPage(reply)
    try {
      const { token, service } = await redeem(deps, own.nonce, query.code, request.id)
      rememberSession(deps, reply, { token, redeemed: [...(remembered?.redeemed ?? []), own.nonce] })
      return own.plan === 'one' ? backToPage(reply) : await connectNext(deps, request, reply, token, service)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return backToPage(reply, { error: error.reason, description: error.message })
    }
  },
})

interface Redeemed {
  token: string
  service: string
}

/** Limit: sign-ins of the demo that are remembered, for a callback that is requested twice at once. */
const MAX_REDEEMED = 1000
const REDEEMED_TTL_MS = 10 * 60_000

const caches = new WeakMap<HttpDeps, TtlCache<Redeemed>>()

/** A double click and two tabs share one exchange: a second one would count as a stolen code and end the token. */
function redeem(deps: HttpDeps, nonce: string, code: string, requestId: string): Promise<Redeemed> {
  const known = caches.get(deps)
  const cache = known ?? createTtlCache<Redeemed>(deps.clock, { ttlMs: REDEEMED_TTL_MS, maxEntries: MAX_REDEEMED })
  if (known === undefined) caches.set(deps, cache)
  return cache.get(`${nonce} ${code}`, async () => {
    const app = await findDemoApp(deps, requireDemo(deps).clientId)
    // Not the whole request: it goes on with another sign-in.
    const { token, profile } = await traceSignIn(deps, { step: 'code_exchange', requestId }, (signIn) =>
      exchangeCode(signIn, app, { code, isAuthenticated: true }),
    )
    return { token, service: profile.service }
  })
}
