import { z } from 'zod'
import { type CallbackAddress, type CallbackQuery, handleCallback } from '#flows/sign-in/callback.ts'
import { keepPosted } from '#flows/sign-in/posted-callback.ts'
import { checkReturn, type StartInput, startSignIn } from '#flows/sign-in/start.ts'
import { AuthorizeError } from '#identity/errors.ts'
import { callbackAddress } from '#kit/connector/service-addresses.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import { flag, parse } from '#model/input/input.ts'
import { languageOf } from '../pages/languages/languages.ts'
import { text, withoutEmpty } from '../request/parameters.ts'
import { queryOf } from '../request/query-pairs.ts'
import { browserOf, rememberBrowser } from '../server/browser.ts'
import { rememberApp } from '../server/last-app.ts'
import { route } from '../server/route.ts'
import { continueSignIn } from './continue-sign-in.ts'
import { returnFailure } from './return-to-app.ts'

/** Limit (sign-in): characters of an app's `state`; a longer one is returned as an error. */
const MAX_STATE = 4000

const startQuery = z.object({
  client_id: text("The app's client id."),
  redirect_uri: text('Where to redirect the person; must equal a registered address.'),
  redirect_url: text('Another spelling of `redirect_uri`.').optional(),
  service: text('The service to sign in to.'),
  access_token: text('Link the new profile to the account of this token.').optional(),
  scope: text("Overrides the service's default scope.").optional(),
  response_type: text('`code` (default) or `token`.').optional(),
  flag: text('A variant of the sign-in that some services have, e.g. `dm`.').optional(),
  force_login: flag('Request a new login at the service.'),
  state: text('Returned unchanged in the redirect.', MAX_STATE).optional(),
  locale: text('Language of the pages that people see here, e.g. `de`; otherwise that of the browser.').optional(),
  code_challenge: text('PKCE.').optional(),
  code_challenge_method: text('`S256`.').optional(),
  host: text(
    "The person's server, for services with many; other questions of a service have their own names.",
  ).optional(),
  login_hint: text('The handle of the person, for services that find their server by it.').optional(),
})

/** `/oauth/authenticate` and `/oauth/authorize`. */
export const authenticate = route({
  auth: 'browser',
  signInStep: 'request',
  hasSideEffects: true,
  summary: 'Redirect a person to a service to sign in',
  describedQuery: startQuery,
  status: 302,
  reasons: ['client_unknown', 'redirect_unregistered', 'too_many_sign_ins', 'bad_parameter'],
  headers: ['Location'],
  run: async (deps, { request, reply, signIn }) => {
    // Empty parameters count as absent (RFC 6749 3.1).
    const given = withoutEmpty(queryOf(request))
    const { app, to } = await checkReturn(signIn, {
      client_id: onlyValue(given, 'client_id'),
      redirect_uri: onlyValue(given, 'redirect_uri') ?? onlyValue(given, 'redirect_url'),
      state: usableState(given['state']),
      response_type: given['response_type'] === 'token' ? 'token' : undefined,
      locale: languageOf(typeof given['locale'] === 'string' ? given['locale'] : undefined),
    })
    try {
      const input = readStart(given)
      const browser = rememberBrowser(deps, request, reply)
      rememberApp(deps, reply, app, to)
      const answers = textsIn(given)
      const outcome = await startSignIn(signIn, app, to, { ...input, answers }, browser, request.ip)
      return continueSignIn(deps, reply, outcome, 302)
    } catch (error) {
      return returnFailure(signIn, reply, to, error)
    }
  },
})

/** Without one app and one redirect address nobody knows where the error should go, so the person sees it on a page. */
function onlyValue(given: Record<string, unknown>, name: string): string | undefined {
  const value = given[name]
  if (value === undefined || typeof value === 'string') return value
  throw invalidInput('bad_parameter', name, 'was given more than once.')
}

/** A `state` that cannot be returned as it was given is not returned. */
function usableState(state: unknown): string | undefined {
  return typeof state === 'string' && state.length <= MAX_STATE ? state : undefined
}

/** Once the app and its address are known, a wrong parameter is returned to the app like any other failure. */
function readStart(given: Record<string, unknown>): StartInput {
  try {
    return parse(startQuery.partial(), given, 'bad_parameter')
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new AuthorizeError('invalid_request', { cause: error, description: error.message })
  }
}

/** Every parameter that was given once: a service may ask for any of them. */
function textsIn(given: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  )
}

const sharedPath = z.object({ service: z.string() })
const ownPath = sharedPath.extend({
  registration: z
    .string()
    .max(40)
    .describe('The instance or the key with other addresses that the sign-in began with.'),
})
type CallbackPath = typeof sharedPath | typeof ownPath

const addressOf = (path: { service: string; registration?: string }): CallbackAddress => ({
  service: path.service,
  registration: path.registration,
})

/** For services that return the code in a form. The GET that follows has the browser's cookie. */
const receiveForm = (path: CallbackPath) =>
  route({
    auth: 'browser',
    crossSite: true,
    summary: 'Receive the form of a service that posts the result of a sign-in',
    path,
    body: z.looseObject({}),
    status: 303,
    reasons: ['session_expired'],
    headers: ['Location'],
    run: async (deps, { path: at, body, reply }) => {
      const address = addressOf(at)
      const posted = await keepPosted(deps, address, body)
      const query = new URLSearchParams({ posted }).toString()
      const url = `${callbackAddress('', address.service, address.registration)}?${query}`
      return reply.code(303).header('location', url).send()
    },
  })

const receive = (path: CallbackPath) =>
  route({
    auth: 'browser',
    signInStep: 'callback',
    hasSideEffects: true,
    summary: 'Receive the person from a service after the sign-in',
    path,
    status: 302,
    reasons: ['session_expired'],
    headers: ['Location'],
    run: async (deps, { path: at, request, reply, signIn }) => {
      const params = queryOf(request) as CallbackQuery
      const outcome = await handleCallback(signIn, addressOf(at), params, browserOf(deps, request))
      return continueSignIn(deps, reply, outcome, 302)
    },
  })

export const callback = receive(sharedPath)
export const ownCallback = receive(ownPath)
export const postedCallback = receiveForm(sharedPath)
export const ownPostedCallback = receiveForm(ownPath)
