import { z } from 'zod'
import { finishAtCallback } from '#flows/authorize/callback.ts'
import { confirmSignIn, declineSignIn } from '#flows/authorize/confirm.ts'
import { AuthorizeError } from '#flows/authorize/errors.ts'
import { checkReturn, startSignIn } from '#flows/authorize/start.ts'
import { ApiError } from '#model/errors.ts'
import { browserOf, rememberBrowser } from './browser.ts'
import { confirmPage } from './pages/confirm.ts'
import { policyToward, sendPage } from './pages/layout.ts'
import { flag, text } from './parameters.ts'
import { returnCode, returnError, returnToken } from './return-to-app.ts'
import { route } from './route.ts'

const startQuery = z.object({
  client_id: text("The app's client id.").optional(),
  redirect_uri: text('Where the person returns; equal to a registered address.').optional(),
  redirect_url: text('Another spelling of `redirect_uri`.').optional(),
  service: text('Which service to authorize.').optional(),
  access_token: text('Link the new profile to the account of this token.').optional(),
  scope: text("Overrides the service's default scope.").optional(),
  response_type: text('`code` (default) or `token`.').optional(),
  flag: text('Another flow of a service that has one, e.g. `dm`.').optional(),
  force_login: flag('Ask the service for a new login.'),
  state: text('Comes back as it was sent.', 4000).optional(),
  code_challenge: text('PKCE.').optional(),
  code_challenge_method: text('`S256`.').optional(),
})

/** `/oauth/authenticate` and `/oauth/authorize`. */
export const authenticate = route({
  door: 'page',
  acts: true,
  emptyIsAbsent: true,
  summary: 'Send a person to a service to sign in',
  query: startQuery,
  status: 302,
  reasons: ['client_unknown', 'redirect_unregistered', 'too_many_sign_ins'],
  run: async (house, { query, request, reply }) => {
    const input = { ...query, redirect_uri: query.redirect_uri ?? query.redirect_url }
    const { app, to } = await checkReturn(house, input)
    try {
      const browser = rememberBrowser(house, request, reply)
      const url = await startSignIn(house, app, to, input, browser, request.ip)
      return await reply.code(302).header('location', url).send()
    } catch (error) {
      if (error instanceof AuthorizeError) return returnError(reply, to, error)
      if (error instanceof ApiError) throw error
      house.log.error('a sign-in could not start', { request_id: request.id, error })
      return returnError(reply, to, new AuthorizeError('server_error'))
    }
  },
})

export const callback = route({
  door: 'page',
  acts: true,
  summary: 'Where a service sends the person back to',
  path: z.object({ service: z.string() }),
  status: 302,
  reasons: ['session_expired'],
  run: async (house, { path, request, reply }) => {
    const result = await finishAtCallback(house, path.service, onlyOnce(request.query), browserOf(house, request))
    if (result.kind === 'redirect') return returnCode(reply, result.to, result.code)
    if (result.kind === 'failed') return returnError(reply, result.to, result.error)
    return sendPage(reply, confirmPage(result), 200, policyToward(result.to.redirectUri))
  },
})

export const confirm = route({
  door: 'page',
  summary: 'The person agrees, or not, before a token is handed to a browser app',
  body: z.object({ ticket: text('From the page.'), answer: z.enum(['yes', 'no']) }),
  status: 303,
  reasons: ['session_expired'],
  run: async (house, { body, request, reply }) => {
    const browser = browserOf(house, request)
    if (body.answer === 'no')
      return returnError(reply, await declineSignIn(house, body.ticket, browser), new AuthorizeError('access_denied'))
    const { to, attached } = await confirmSignIn(house, body.ticket, browser)
    return returnToken(reply, to, attached.token, attached.account.id)
  },
})

// A parameter that comes twice is nobody's honest answer.
function onlyOnce(query: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query as Record<string, unknown>).filter(
      (pair): pair is [string, string] => typeof pair[1] === 'string',
    ),
  )
}
