import { z } from 'zod'
import { type CallbackQuery, handleCallback } from '#flows/authorize/callback.ts'
import { AuthorizeError } from '#flows/authorize/errors.ts'
import { checkReturn, startSignIn } from '#flows/authorize/start.ts'
import { ApiError } from '#model/errors.ts'
import { flag } from '#model/input.ts'
import { browserOf, rememberBrowser } from './browser.ts'
import { confirmPath } from './confirm.ts'
import { text } from './parameters.ts'
import { queryOf } from './query-pairs.ts'
import { returnCode, returnError } from './return-to-app.ts'
import { route } from './route.ts'

const startQuery = z.object({
  client_id: text("The app's client id.").optional(),
  redirect_uri: text('Where to redirect the person; must equal a registered address.').optional(),
  redirect_url: text('Another spelling of `redirect_uri`.').optional(),
  service: text('The service to sign in to.').optional(),
  access_token: text('Link the new profile to the account of this token.').optional(),
  scope: text("Overrides the service's default scope.").optional(),
  response_type: text('`code` (default) or `token`.').optional(),
  flag: text('A variant of the sign-in that some services have, e.g. `dm`.').optional(),
  force_login: flag('Request a new login at the service.'),
  state: text('Returned unchanged in the redirect.', 4000).optional(),
  code_challenge: text('PKCE.').optional(),
  code_challenge_method: text('`S256`.').optional(),
})

/** `/oauth/authenticate` and `/oauth/authorize`. */
export const authenticate = route({
  auth: 'browser',
  hasSideEffects: true,
  emptyIsAbsent: true,
  summary: 'Redirect a person to a service to sign in',
  query: startQuery,
  status: 302,
  reasons: ['client_unknown', 'redirect_unregistered', 'too_many_sign_ins'],
  run: async (deps, { query, request, reply }) => {
    const input = { ...query, redirect_uri: query.redirect_uri ?? query.redirect_url }
    const { app, to } = await checkReturn(deps, input)
    try {
      const browser = rememberBrowser(deps, request, reply)
      const url = await startSignIn(deps, app, to, input, browser, request.ip)
      return await reply.code(302).header('location', url).send()
    } catch (error) {
      if (error instanceof AuthorizeError) return returnError(reply, to, error)
      if (error instanceof ApiError) throw error
      deps.log.error('a sign-in could not be started', { request_id: request.id, error })
      return returnError(reply, to, new AuthorizeError('server_error'))
    }
  },
})

export const callback = route({
  auth: 'browser',
  hasSideEffects: true,
  summary: 'Receive the person from a service after the sign-in',
  path: z.object({ service: z.string() }),
  status: 302,
  reasons: ['session_expired'],
  run: async (deps, { path, request, reply }) => {
    const result = await handleCallback(deps, path.service, queryOf(request) as CallbackQuery, browserOf(deps, request))
    if (result.kind === 'redirect') return returnCode(reply, result.to, result.code)
    if (result.kind === 'failed') return returnError(reply, result.to, result.error)
    return reply.code(302).header('location', confirmPath(result.ticket)).send()
  },
})
