import { z } from 'zod'
import { limitGuesses } from '#flows/apps/limit-guesses.ts'
import { signInVisitor } from '#flows/operators/demo-visitor.ts'
import type { Browser } from '#flows/operators/deps.ts'
import { acceptLink, linkPasskeyOptions, readLink } from '#flows/operators/links.ts'
import * as passkeys from '#flows/operators/passkeys.ts'
import { changePassword, guessedOperator, signInWithPassword } from '#flows/operators/passwords.ts'
import { endSession, endSessionsOf, operatorOfSession } from '#flows/operators/sessions.ts'
import { isLoopback } from '#model/apps/app.ts'
import {
  DEMO_OPERATOR,
  MAX_OPERATOR_NAME,
  MAX_PASSWORD,
  type Operator,
  RECENT_SIGN_IN_MS,
} from '#model/apps/operator.ts'
import { ApiError } from '#model/errors.ts'
import { isExposed } from '../demo/exposed.ts'
import { requireDemo } from '../demo/session.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import type { HttpDeps } from '../server/deps.ts'
import { isLocalCaller } from '../server/local-caller.ts'
import {
  clearSession,
  knownOperator,
  requireSignedIn,
  sessionToken,
  setKnown,
  setSession,
  signedInOperator,
} from '../server/operator-session.ts'
import { route } from '../server/route.ts'
import * as shapes from './shapes.ts'

/** Limit (operators): wrong passwords from one address in a minute for one name; beyond it the address is refused until the minute is over. */
const MAX_WRONG_PASSWORDS = 10

const password = z.string().max(MAX_PASSWORD)
const name = z.string().max(MAX_OPERATOR_NAME)
/** Limit: characters of the secret in a link; ours are shorter. */
const MAX_LINK_SECRET = 100
const token = z.string().max(MAX_LINK_SECRET).describe('What stands behind `#` in the link.')

export const whoAmI = route({
  auth: 'dashboard',
  summary: 'Who is signed in to the dashboard in this browser',
  response: shapes.current,
  reasons: ['signed_out'],
  run: async (deps, { request }) => present(deps, await requireSignedIn(deps, request)),
})

export const signIn = route({
  auth: 'dashboard',
  summary: 'Sign in to the dashboard with a password; again for dangerous actions',
  body: z.object({ name, password }),
  response: shapes.current,
  reasons: ['password_wrong', 'too_many_attempts'],
  run: async (deps, { body, request, reply }) => {
    const guess = { subject: guessedOperator(body.name), address: request.ip, perSubject: MAX_WRONG_PASSWORDS }
    const browser = browserOf(deps, request)
    const opened = await limitGuesses(
      deps,
      guess,
      () => new ApiError('password_wrong'),
      () => signInWithPassword(deps, body, browser),
    )
    return begin(deps, reply, opened)
  },
})

export const signOut = route({
  auth: 'dashboard',
  summary: 'Sign out of the dashboard in this browser',
  query: z.object({
    everywhere: z.enum(['true', 'false']).optional().describe('`true`: in every browser of this operator.'),
  }),
  response: z.object({ ended: z.int() }),
  run: async (deps, { query, request, reply }) => {
    const given = sessionToken(deps, request)
    const operator = given === undefined ? undefined : await operatorOfSession(deps, given)
    clearSession(deps, reply)
    if (given === undefined || operator?.session === undefined) return { ended: 0 }
    if (query.everywhere === 'true')
      return { ended: await endSessionsOf(deps, operator, operator.session.operatorId, false) }
    await endSession(deps, given)
    return { ended: 1 }
  },
})

export const passkeyChallenge = route({
  auth: 'dashboard',
  summary: 'What a passkey signs to sign in to the dashboard',
  response: z.object({ challenge: z.string(), rp_id: z.string() }),
  reasons: ['passkey_refused'],
  run: async (deps) => passkeys.signInOptions(deps),
})

export const signInByPasskey = route({
  auth: 'dashboard',
  summary: 'Sign in to the dashboard with a passkey',
  body: shapes.assertion,
  response: shapes.current,
  reasons: ['passkey_refused', 'too_many_attempts'],
  run: async (deps, { body, request, reply }) => {
    const given = {
      id: body.id,
      clientDataJson: body.client_data_json,
      authenticatorData: body.authenticator_data,
      signature: body.signature,
    }
    const opened = await counted(deps, request, 'passkey', () =>
      passkeys.signInWithPasskey(deps, given, browserOf(deps, request)),
    )
    return begin(deps, reply, opened)
  },
})

export const showLink = route({
  auth: 'dashboard',
  summary: 'What a link for an operator offers, without using it',
  body: z.object({ token }),
  response: z.object({
    new_operator: z.boolean(),
    name: z.string().optional(),
    role: shapes.operator.shape.role,
    apps: shapes.operator.shape.apps,
    expires_at: z.int(),
    passkeys: z.boolean(),
  }),
  reasons: ['link_invalid', 'too_many_attempts'],
  run: async (deps, { body, request }) => {
    const link = await counted(deps, request, 'link', () => readLink(deps, body.token))
    return { ...link, passkeys: passkeys.relyingParty(deps) !== undefined }
  },
})

export const linkPasskey = route({
  auth: 'dashboard',
  summary: 'What an authenticator creates a passkey from, for a link',
  body: z.object({ token, name }),
  response: shapes.creation,
  reasons: ['link_invalid', 'passkey_refused', 'too_many_attempts'],
  run: (deps, { body, request }) =>
    counted(deps, request, 'link', () => linkPasskeyOptions(deps, body.token, body.name)),
})

export const accept = route({
  auth: 'dashboard',
  summary: 'Use a link: choose a name and a password or passkey, and sign in',
  body: z.object({
    token,
    name: name.default(''),
    password: password.optional(),
    passkey: z.object({ name: shapes.passkeyName, registration: shapes.registration }).optional(),
  }),
  response: shapes.current,
  reasons: ['link_invalid', 'passkey_refused', 'already_exists', 'too_many_attempts'],
  run: async (deps, { body, request, reply }) => {
    const passkey = body.passkey && {
      name: body.passkey.name,
      registration: shapes.toRegistration(body.passkey.registration),
    }
    const chosen = { name: body.name, password: body.password, passkey }
    const opened = await counted(deps, request, 'link', () =>
      acceptLink(deps, body.token, chosen, browserOf(deps, request)),
    )
    return begin(deps, reply, opened)
  },
})

export const setPassword = route({
  auth: 'dashboard',
  summary: "Set one's own password; other sessions end",
  body: z.object({ password }),
  response: z.object({ ended: z.int().describe('How many other sessions ended.') }),
  reasons: ['signed_out', 'sign_in_again', 'too_many_attempts'],
  run: async (deps, { body, request }) => ({
    ended: await changePassword(deps, await requireSignedIn(deps, request), body.password),
  }),
})

export const listPasskeys = route({
  auth: 'dashboard',
  summary: "List one's own passkeys",
  response: z.array(z.object({ id: z.string(), name: z.string(), created_at: z.int(), used_at: z.int().optional() })),
  reasons: ['signed_out'],
  run: async (deps, { request }) => passkeys.listOwnPasskeys(deps, await requireSignedIn(deps, request)),
})

export const passkeyCreation = route({
  auth: 'dashboard',
  summary: "What an authenticator creates one's own passkey from",
  response: shapes.creation,
  reasons: ['signed_out', 'passkey_refused'],
  run: async (deps, { request }) => passkeys.addingOptions(deps, await requireSignedIn(deps, request)),
})

export const addPasskey = route({
  auth: 'dashboard',
  summary: "Add a passkey of one's own",
  body: z.object({ name: shapes.passkeyName, registration: shapes.registration }),
  status: 201,
  response: z.object({ id: z.string() }),
  reasons: ['signed_out', 'sign_in_again', 'passkey_refused', 'already_exists'],
  run: async (deps, { body, request }) => {
    const operator = await requireSignedIn(deps, request)
    return { id: await passkeys.addPasskey(deps, operator, body.name, shapes.toRegistration(body.registration)) }
  },
})

export const removePasskey = route({
  auth: 'dashboard',
  summary: "Remove a passkey of one's own",
  path: z.object({ id: z.string() }),
  response: z.object({ deleted: z.string() }),
  reasons: ['signed_out', 'sign_in_again', 'not_found'],
  run: async (deps, { path: { id }, request }) => {
    await passkeys.removePasskey(deps, await requireSignedIn(deps, request), id)
    return { deleted: id }
  },
})

/** Nobody vouches for the visitor but the machine itself: no proxy and no other address may be between. */
export const visit = route({
  auth: 'dashboard',
  summary: 'Sign the visitor of the demo in as its operator, on this machine only and while nobody else operates',
  response: shapes.current,
  reasons: ['not_found', 'demo_exposed', 'signed_out'],
  run: async (deps, { request, reply }) => {
    requireDemo(deps)
    const { baseUrl } = deps.config
    const isHere = !isExposed(deps, request) && isLoopback(new URL(baseUrl).hostname)
    if (!isHere || !isLocalCaller(request.ip, request.headers, baseUrl)) throw new ApiError('demo_exposed')
    const current = await signedInOperator(deps, request)
    if (current?.session !== undefined && current.session.operatorId !== DEMO_OPERATOR) return present(deps, current)
    const opened = await signInVisitor(deps, browserOf(deps, request))
    if (opened === undefined) throw new ApiError('signed_out', 'This demo has an operator: sign in as one.')
    return begin(deps, reply, opened)
  },
})

/** A wrong secret of 256 bits counts like a wrong password; other refusals do not. */
async function counted<Result>(
  deps: HttpDeps,
  request: HttpRequest,
  subject: string,
  work: () => Promise<Result>,
): Promise<Result> {
  let failure: ApiError | undefined
  const guess = { subject: `operator's ${subject}`, address: request.ip }
  return limitGuesses(
    deps,
    guess,
    () => failure!,
    async () => {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof ApiError) || (error.reason !== 'link_invalid' && error.reason !== 'passkey_refused'))
          throw error
        failure = error
        return undefined
      }
    },
  )
}

async function begin(deps: HttpDeps, reply: HttpReply, opened: string) {
  setSession(deps, reply, opened)
  const operator = await operatorOfSession(deps, opened)
  if (operator?.session === undefined) throw new ApiError('signed_out')
  setKnown(deps, reply, operator.session.operatorId)
  return present(deps, operator)
}

function present(deps: HttpDeps, { name: own, role, apps, session }: Operator) {
  if (session === undefined) throw new ApiError('signed_out')
  return {
    operator: { id: session.operatorId, name: own, role, apps },
    session: session.id,
    confirmed_until: session.authenticatedAt + RECENT_SIGN_IN_MS,
    passkeys: passkeys.relyingParty(deps) !== undefined,
  }
}

function browserOf(deps: HttpDeps, request: HttpRequest): Browser {
  return {
    name: request.headers['user-agent'] ?? '',
    address: request.ip,
    token: sessionToken(deps, request),
    knownAs: knownOperator(deps, request),
  }
}
