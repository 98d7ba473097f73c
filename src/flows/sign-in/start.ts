import { forgetRefusedKey } from '#access/service-access.ts'
import { accountOf } from '#identity/accounts.ts'
import { type IdentityDeps, type SignInDeps, TEN_MINUTES_MS } from '#identity/deps.ts'
import { AuthorizeError, serviceNotOffered } from '#identity/errors.ts'
import { requireApp, requireRedirect } from '#identity/known-app.ts'
import { countSignIn, uncountSignIn } from '#identity/open-sign-ins.ts'
import { type PendingValue, writePending } from '#identity/pending-value.ts'
import { addressOf } from '#identity/record-calls.ts'
import { mayConnect } from '#identity/services.ts'
import {
  mustAsk,
  namesServerInLink,
  openSignInAccess,
  readAnswers,
  requireService,
  type SignInAccess,
} from '#identity/sign-in-access.ts'
import { logged } from '#identity/sign-in-trace.ts'
import type { Answers } from '#kit/auth/ask.ts'
import { typedFieldsOf } from '#kit/auth/auth.ts'
import { foreseenFault } from '#kit/auth/callback-rule.ts'
import { callbackAddress } from '#kit/connector/service-addresses.ts'
import type { App } from '#model/apps/app.ts'
import { randomSecret } from '#platform/crypto/ids.ts'
import type { OpenServiceKey } from '#store/apps/service-keys.ts'
import { insertPending } from '#store/identity/pending.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { type BegunSignIn, beginSignIn } from '#upstream/sign-in.ts'
import type { OutcomeOf } from './outcome.ts'
import { askPerson, type SignInStart } from './question.ts'
import type { ReturnTo } from './return-to.ts'
import { toAuthorizeError } from './sign-in-failure.ts'

/** The query of the authorization request, not validated yet. */
export interface StartInput {
  client_id?: string | undefined
  redirect_uri?: string | undefined
  service?: string | undefined
  access_token?: string | undefined
  scope?: string | undefined
  response_type?: string | undefined
  flag?: string | undefined
  force_login?: boolean | undefined
  state?: string | undefined
  /** Language of our pages, as the app gave it. */
  locale?: string | undefined
  code_challenge?: string | undefined
  code_challenge_method?: string | undefined
  /** Answers to the questions of the service, by name; other parameters of the request may be in it too. */
  answers?: Readonly<Record<string, string | undefined>> | undefined
  /** The connect session that the sign-in began with. Its account counts, and not that of a token. */
  session?: { id: string; accountId: string | undefined } | undefined
}

/** Verifies the app and its redirect address. Errors are shown to the person on a page, never sent by redirect. */
export async function checkReturn(
  { database, trace }: SignInDeps,
  input: Pick<StartInput, 'client_id' | 'redirect_uri' | 'state' | 'response_type' | 'locale'>,
): Promise<{ app: App; to: ReturnTo }> {
  const app = await requireApp(database, input.client_id)
  trace.of({ appId: app.id })
  const redirectUri = requireRedirect(app, input.redirect_uri)
  const responseType = input.response_type === 'token' && app.tokenFlow ? 'token' : 'code'
  return { app, to: { redirectUri, state: input.state, responseType, locale: input.locale } }
}

/** Sends the person to the service or to a page of ours. Errors are returned to the app by redirect. */
export async function startSignIn(
  deps: SignInDeps,
  app: App,
  to: ReturnTo,
  input: StartInput,
  browser: Buffer,
  ip: string,
): Promise<OutcomeOf<'started'>> {
  deps.trace.of({ appId: app.id, service: input.service === undefined ? undefined : logged(input.service) })
  const responseType = checkResponseType(app, input)
  const codeChallenge = checkChallenge(app, input, responseType)
  const service = await requireService(deps, app, input.service)
  if (!mayConnect(app, service.connector)) throw serviceNotOffered(app.id, service.connector.service)
  const { session, scope, flag, force_login: forceLogin = false } = input
  const accountId = session === undefined ? await requireAccountId(deps, app, input.access_token) : session.accountId
  const { redirectUri, state, locale } = to
  const asked = { redirectUri, state, locale, codeChallenge, accountId, operation: deps.trace.id }
  const start: SignInStart = {
    app,
    connector: service.connector,
    browser,
    ip,
    options: { scope, flag, forceLogin },
    request:
      session === undefined
        ? { began: 'request', ...asked, responseType }
        : { began: 'session', ...asked, responseType: 'code', session: session.id },
  }
  deps.trace.of({ appId: app.id, accountId })
  deps.trace.step('checks', {
    response_type: responseType,
    pkce: codeChallenge !== undefined,
    links_account: accountId !== undefined,
  })
  const given = readAnswers(service, input.answers ?? {})
  if (mustAsk(service, given) || namesServerInLink(service, given)) return askPerson(deps, start, input.answers ?? {})
  return sendToService(deps, { ...start, ...service, answers: given.answers })
}

/** Everything is known that the service needs. */
export interface AnsweredStart extends SignInStart {
  /** Undefined: the app registers at the service. */
  ownKey: OpenServiceKey | undefined
  answers: Answers
}

/** Where people type something, the sign-in begins on our own page. */
async function begin(
  upstream: IdentityDeps['upstream'],
  input: Parameters<typeof beginSignIn>[1],
): Promise<BegunSignIn> {
  const { service, auth } = input.connector
  if (typedFieldsOf(auth) === undefined) return beginSignIn(upstream, input)
  return { url: typedPath(input.state), secrets: { service } }
}

/** The address of the page on which a person types what the service requires. It can be reloaded. */
export function typedPath(state: string): string {
  return `/oauth/typed?${new URLSearchParams({ state }).toString()}`
}

/** Stores the sign-in and sends the person to the service, or to our page where they type. The request itself was checked. */
export async function sendToService(
  deps: SignInDeps,
  start: AnsweredStart,
): Promise<OutcomeOf<'asked'> & { kind: 'sent' | 'typing' }> {
  const { app, connector, browser, ip, request } = start
  // Before any call to the service: OAuth 1 fetches a request token first.
  const counted = await countSignIn(deps, app.id, ip)
  const state = randomSecret()
  const { begun, access } = await beginWithKey(deps, start, state).catch(async (error: unknown) => {
    // People and apps name servers: failed calls to them count, otherwise anybody could have us call any host without end.
    const hasCalledNamed = Object.keys(start.answers).length > 0 && error instanceof UpstreamError
    if (!hasCalledNamed) await uncountSignIn(deps, app.id, counted)
    throw toAuthorizeError(deps, error, connector.service)
  })
  const { instance, subject, registration } = access
  const value: PendingValue & { kind: 'sent' | 'typing' } =
    typedFieldsOf(connector.auth) === undefined
      ? { kind: 'sent', request, counted, secrets: begun.secrets, registration, instance, subject }
      : { kind: 'typing', request, counted, secrets: { service: connector.service } }
  const expiresAt = deps.clock.now() + TEN_MINUTES_MS
  // An OAuth 1 callback has the request token instead of our `state`.
  const name = begun.requestToken === undefined ? `state ${state}` : `token ${connector.service} ${begun.requestToken}`
  await insertPending(deps.database, deps.keyring, deps.hasher.hash('pending', name), {
    appId: app.id,
    service: connector.service,
    browser,
    value: writePending('started', value),
    expiresAt,
  })
  deps.trace.step('redirect', { to: addressOf(begun.url) || 'our own page' })
  deps.trace.awaits('The person was sent to the service.', 'abandoned', expiresAt)
  return { kind: value.kind, url: begun.url }
}

/** A registered key that the service refuses is replaced once. */
async function beginWithKey(
  deps: IdentityDeps,
  start: AnsweredStart,
  state: string,
): Promise<{ begun: BegunSignIn; access: SignInAccess }> {
  try {
    return await beginOnce(deps, start, state)
  } catch (error) {
    if (!(error instanceof KeyForgotten)) throw error
    return beginOnce(deps, start, state).catch((second: unknown) => {
      throw second instanceof KeyForgotten ? second.cause : second
    })
  }
}

class KeyForgotten extends Error {}

async function beginOnce(
  deps: IdentityDeps,
  { app, connector: described, ownKey, answers, options }: AnsweredStart,
  state: string,
): Promise<{ begun: BegunSignIn; access: SignInAccess }> {
  const access = await openSignInAccess(deps, app, { connector: described, ownKey }, answers)
  const { connector, key, instance, loginHint, registration } = access
  const callbackUrl = callbackAddress(deps.config.baseUrl, connector.service, registration)
  const fault = foreseenFault(connector, key.overrides, callbackUrl)
  if (fault !== undefined) throw new AuthorizeError('callback_refused', { description: fault })
  try {
    const begun = await begin(deps.upstream, {
      connector,
      key,
      callbackUrl,
      state,
      scope: options.scope,
      flag: options.flag,
      forceLogin: options.forceLogin,
      instance,
      loginHint,
    })
    return { begun, access }
  } catch (error) {
    const isForgotten =
      error instanceof UpstreamError && (await forgetRefusedKey(deps, app.id, described, instance, error))
    throw isForgotten ? new KeyForgotten('The service refuses a registered key', { cause: error }) : error
  }
}

function checkResponseType(app: App, { response_type: type = 'code' }: StartInput): 'code' | 'token' {
  if (type === 'code' || (type === 'token' && app.tokenFlow)) return type
  const description =
    type === 'token' ? 'response_type=token is switched off for this app: use code, or set token_flow.' : undefined
  throw new AuthorizeError('unsupported_response_type', { description })
}

/** What is wrong with PKCE, without the values. */
function challengeFault(
  { code_challenge: challenge, code_challenge_method: method }: StartInput,
  responseType: 'code' | 'token',
): string {
  if (responseType === 'token') return 'code_challenge: PKCE is for response_type=code only.'
  if (challenge === undefined && method === undefined)
    return 'code_challenge: is missing. A public app must use PKCE with code_challenge_method=S256.'
  if (challenge === undefined) return 'code_challenge: is missing, but code_challenge_method was given.'
  if (method === undefined) return 'code_challenge_method: is missing; it must be S256.'
  if (method !== 'S256') return 'code_challenge_method: must be S256.'
  return 'code_challenge: must be the SHA-256 of the verifier in base64url, 43 characters.'
}

/** PKCE of the app: only S256, and only with a code. A public app must use it: it has nothing else to prove itself by. */
function checkChallenge(app: App, input: StartInput, responseType: 'code' | 'token'): string | undefined {
  const { code_challenge: challenge, code_challenge_method: method } = input
  const isRequired = app.isPublic && responseType === 'code'
  if (challenge === undefined && method === undefined && !isRequired) return undefined
  if (responseType === 'code' && method === 'S256' && challenge !== undefined && /^[\w-]{43}$/.test(challenge))
    return challenge
  throw new AuthorizeError('invalid_request', { description: challengeFault(input, responseType) })
}

async function requireAccountId(deps: IdentityDeps, app: App, token: string | undefined): Promise<string | undefined> {
  if (token === undefined) return undefined
  const account = await accountOf(deps, token)
  if (account?.appId !== app.id) throw new AuthorizeError('invalid_access_token')
  return account.id
}
