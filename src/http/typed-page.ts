import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { typedPath } from '#flows/authorize/start.ts'
import { declineTyped, readTypedPage, submitTyped, type TypedResult } from '#flows/authorize/typed-sign-in.ts'
import { browserOf } from './browser.ts'
import { confirmPath } from './confirm.ts'
import type { HttpDeps } from './deps.ts'
import { PAGE, REDIRECT } from './description/other-responses.ts'
import { donePage } from './pages/confirm.ts'
import { languageFor, sendPersonPage } from './pages/person-page.ts'
import { FIELD_PREFIX, typedPage } from './pages/typed.ts'
import { text } from './parameters.ts'
import { returnCode, returnError, returnReconnected } from './return-to-app.ts'
import { route } from './route.ts'

export const show = route({
  auth: 'browser',
  summary: 'Ask the person for what a service requires: a key, a name and a password, an address',
  type: 'text/html',
  query: z.object({ state: text('From the redirect that led here.') }),
  reasons: ['session_expired'],
  also: { 302: REDIRECT, 303: REDIRECT },
  run: async (deps, { query, request, reply }) =>
    goOn(deps, request, reply, await readTypedPage(deps, query.state, browserOf(deps, request))),
})

export const submit = route({
  auth: 'browser',
  signInStep: 'typed',
  summary: 'Sign in with what the person typed; a repeated request returns the same result',
  body: z.looseObject({ state: text('From the page.'), answer: z.enum(['yes', 'no']).optional() }),
  status: 303,
  reasons: ['session_expired'],
  headers: ['Location'],
  also: { 200: PAGE },
  run: async (deps, { body, request, reply, signIn }) => {
    const browser = browserOf(deps, request)
    const result =
      body.answer === 'no'
        ? await declineTyped(signIn, body.state, browser)
        : await submitTyped(signIn, body.state, typedIn(body), browser, request.ip)
    return goOn(deps, request, reply, result)
  },
})

function typedIn(body: Record<string, unknown>): Record<string, unknown> {
  const pairs = Object.entries(body).filter(([name]) => name.startsWith(FIELD_PREFIX))
  return Object.fromEntries(pairs.map(([name, value]) => [name.slice(FIELD_PREFIX.length), value]))
}

/** Where the browser goes after a step on our page. */
export function goOn(deps: HttpDeps, request: FastifyRequest, reply: FastifyReply, result: TypedResult): FastifyReply {
  switch (result.kind) {
    case 'prompt':
      return sendPersonPage(reply, typedPage(result, languageFor(request, result.to.locale), deps.clock.now()))
    case 'again':
      return redirect(reply, typedPath(result.state))
    case 'sent':
      return redirect(reply, result.url)
    case 'confirm':
      return redirect(reply, confirmPath(result.ticket))
    case 'redirect':
      return returnCode(deps, reply, result.to, result.code)
    case 'reconnected':
      request.server.forgetAccount(result.account)
      return returnReconnected(deps, reply, result.to)
    case 'failed':
      return returnError(deps, reply, result.to, result.error)
    case 'done':
      return sendPersonPage(reply, donePage(languageFor(request, result.to.locale)))
    default:
      return result satisfies never
  }
}

function redirect(reply: FastifyReply, address: string): FastifyReply {
  return reply.code(303).header('location', address).send()
}
