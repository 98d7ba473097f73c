import { DEMO_PAGE } from '#flows/operations/demo.ts'
import { checkReturn, startSignIn } from '#flows/sign-in/start.ts'
import { AuthorizeError } from '#identity/errors.ts'
import { stopWith, traceSignIn } from '#identity/sign-in-trace.ts'
import { ApiError } from '#model/errors.ts'
import { describeError } from '#model/oauth-errors.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { rememberBrowser } from '../server/browser.ts'
import type { HttpDeps } from '../server/deps.ts'
import { requireDemo } from './session.ts'
import { newState, type Plan } from './state.ts'

/** The person of the one-click start. Only the demo services understand the parameter. */
const ONE_CLICK_PERSON = 'ada'

interface DemoSignIn {
  service: string
  plan: Plan
  /** The browser's account, which the profile is added to. */
  token: string | undefined
}

/** Begins a sign-in for this browser, as the server of an app would; the token does not show up in an address. */
export async function beginSignIn(
  deps: HttpDeps,
  request: HttpRequest,
  reply: HttpReply,
  { service, plan, token }: DemoSignIn,
): Promise<HttpReply> {
  const demo = requireDemo(deps)
  const state = newState(deps, rememberBrowser(deps, request, reply, 'tributary-demo'), plan)
  return traceSignIn(deps, { step: 'request', requestId: request.id }, async (signIn) => {
    const { app, to } = await checkReturn(signIn, { client_id: demo.clientId, redirect_uri: demo.redirectUri, state })
    // The variant of Demo Micro with direct messages; other services have no variants.
    const flag = service === 'demo-micro' ? 'dm' : undefined
    try {
      const browser = rememberBrowser(deps, request, reply)
      const input = { service, access_token: token, state, flag }
      const outcome = await startSignIn(signIn, app, to, input, browser, request.ip)
      if (outcome.kind !== 'sent') throw new AuthorizeError('invalid_request')
      const url = new URL(outcome.url)
      if (plan === 'all') url.searchParams.set('demo_person', ONE_CLICK_PERSON)
      return reply.code(303).header('location', url.href).send()
    } catch (error) {
      stopWith(signIn.trace, error)
      if (error instanceof ApiError) return backToPage(reply, { error: error.reason, description: error.message })
      if (!(error instanceof AuthorizeError)) throw error
      return backToPage(reply, { error: error.reason, description: describeError(error.message) })
    }
  })
}

/** Always with 303: a reload or Back repeats the page and not the request before it. */
export function backToPage(reply: HttpReply, failure?: { error: string; description?: string | undefined }): HttpReply {
  const fields = failure && {
    error: failure.error,
    ...(failure.description === undefined ? {} : { error_description: failure.description }),
  }
  const query = fields === undefined ? '' : `?${new URLSearchParams(fields).toString()}`
  return reply.code(303).header('location', `${DEMO_PAGE}${query}`).send()
}
