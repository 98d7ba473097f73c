import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  declineTyped,
  readTypedPage,
  submitTyped,
  type TypedProblem,
  type TypedResult,
} from '#flows/authorize/typed-sign-in.ts'
import { browserOf } from './browser.ts'
import { confirmPath } from './confirm.ts'
import type { HttpDeps } from './deps.ts'
import { INVALID_PAGE, LIMITED_PAGE, PAGE, REDIRECT, UNREACHABLE_PAGE } from './description/other-responses.ts'
import { donePage } from './pages/confirm.ts'
import { policyToward, sendPage } from './pages/layout.ts'
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
  also: { 302: REDIRECT, 303: REDIRECT, 422: INVALID_PAGE, 429: LIMITED_PAGE, 502: UNREACHABLE_PAGE },
  run: async (deps, { query, request, reply }) =>
    goOn(deps, request, reply, await readTypedPage(deps, query.state, browserOf(deps, request))),
})

export const submit = route({
  auth: 'browser',
  summary: 'Sign in with what the person typed; a repeated request returns the same result',
  body: z.looseObject({ state: text('From the page.'), answer: z.enum(['yes', 'no']).optional() }),
  status: 303,
  reasons: ['session_expired'],
  headers: ['Location'],
  also: { 200: PAGE, 422: INVALID_PAGE, 429: LIMITED_PAGE, 502: UNREACHABLE_PAGE },
  run: async (deps, { body, request, reply }) => {
    const browser = browserOf(deps, request)
    const result =
      body.answer === 'no'
        ? await declineTyped(deps, body.state, browser)
        : await submitTyped(deps, body.state, typedIn(body), browser, request.ip)
    return goOn(deps, request, reply, result)
  },
})

function typedIn(body: Record<string, unknown>): Record<string, unknown> {
  const pairs = Object.entries(body).filter(([name]) => name.startsWith(FIELD_PREFIX))
  return Object.fromEntries(pairs.map(([name, value]) => [name.slice(FIELD_PREFIX.length), value]))
}

function goOn(deps: HttpDeps, request: FastifyRequest, reply: FastifyReply, result: TypedResult): FastifyReply {
  switch (result.kind) {
    case 'prompt': {
      const { problem, faults, to } = result
      if (problem?.kind === 'too_many') void reply.header('retry-after', problem.retryAfterS)
      return sendPage(reply, typedPage(result), statusOf(problem, faults), policyToward(to.redirectUri))
    }
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
      return sendPage(reply, donePage())
    default:
      return result satisfies never
  }
}

function statusOf(problem: TypedProblem | undefined, faults: object): number {
  if (problem?.kind === 'too_many') return 429
  if (problem?.kind === 'unreachable') return 502
  return problem === undefined && Object.keys(faults).length === 0 ? 200 : 422
}

function redirect(reply: FastifyReply, address: string): FastifyReply {
  return reply.code(303).header('location', address).send()
}
