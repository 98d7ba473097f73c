import { forgetRefusedKey } from '#access/service-access.ts'
import type { Answers } from '#kit/ask.ts'
import { typedFieldsOf } from '#kit/auth.ts'
import type { Connector } from '#kit/connector.ts'
import { type App, matchesRedirectUri } from '#model/app.ts'
import { ApiError } from '#model/errors.ts'
import { randomSecret } from '#platform/ids.ts'
import { findApp } from '#store/apps/apps.ts'
import type { OpenServiceKey } from '#store/apps/service-keys.ts'
import { insertPending } from '#store/identity/pending.ts'
import { UpstreamError } from '#upstream/errors.ts'
import { type BegunSignIn, beginSignIn } from '#upstream/sign-in.ts'
import { accountOf } from './accounts.ts'
import { type AuthorizeDeps, callbackUrl, TEN_MINUTES_MS } from './deps.ts'
import { AuthorizeError } from './errors.ts'
import { type CountedSignIn, countSignIn, uncountSignIn } from './open-sign-ins.ts'
import { mustAsk, openSignInAccess, readAnswers, requireService, type SignInAccess } from './sign-in-access.ts'
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
  code_challenge?: string | undefined
  code_challenge_method?: string | undefined
  /** Answers to the questions of the service, by name; other parameters of the request may be in it too. */
  answers?: Readonly<Record<string, string | undefined>> | undefined
}

/** The sealed content of a pending sign-in, for its callback. */
export interface PendingValue {
  redirectUri: string
  responseType: 'code' | 'token'
  state: string | undefined
  codeChallenge: string | undefined
  accountId: string | undefined
  upstream: Record<string, unknown>
  /** The person's instance, and who must come back; undefined where the service has one instance. */
  instance?: Answers | undefined
  subject?: string | undefined
  /** Parameters that the service posted to the callback. */
  posted?: Record<string, string> | undefined
  /** Undefined where an older release started the sign-in. */
  counted?: CountedSignIn
  /** Set when the sign-in began with a link to reconnect a profile. */
  reconnect?: Reconnecting | undefined
  /** How a sign-in on our own page ended, for a repeated submit. */
  settled?: SettledSignIn | undefined
}

/** A result that a repeated submit of the same page gets again. */
export type SettledSignIn =
  | { kind: 'redirect'; code: string }
  | { kind: 'confirm'; ticket: string }
  | { kind: 'reconnected'; account: string }

/** The link that a sign-in began with, and the profile that it may reconnect. */
export interface Reconnecting {
  shard: number
  /** Hash of the link, in hex. */
  link: string
  profileId: string
  /** For the response to the app. */
  profile: string
  account: string
}

/** Where the authorization response goes: a redirect address verified as the app's own, and the app's `state`. */
export interface ReturnTo {
  redirectUri: string
  state: string | undefined
  /** Named in the response to a sign-in that began with a link to reconnect a profile. */
  reconnect?: Pick<Reconnecting, 'profile' | 'account'> | undefined
}

/** Verifies the app and its redirect address. Errors are shown to the person on a page, never sent by redirect. */
export async function checkReturn(
  { database }: AuthorizeDeps,
  input: Pick<StartInput, 'client_id' | 'redirect_uri' | 'state'>,
): Promise<{ app: App; to: ReturnTo }> {
  const app = input.client_id === undefined ? undefined : await findApp(database, input.client_id)
  if (app === undefined) throw new ApiError('client_unknown', undefined, { param: 'client_id' })
  if (input.redirect_uri === undefined || !matchesRedirectUri(app.redirectUris, input.redirect_uri)) {
    throw new ApiError('redirect_unregistered', undefined, { param: 'redirect_uri' })
  }
  return { app, to: { redirectUri: input.redirect_uri, state: input.state } }
}

/** Where the browser goes next: to the service, or to our page with questions. */
export type NextStep = { kind: 'service'; url: string } | { kind: 'ask'; start: QuestionStart }

export type QuestionStart = Omit<SignInStart, 'ownKey' | 'answers'>

/** Returns where the browser goes next. Errors are returned to the app by redirect. */
export async function startSignIn(
  deps: AuthorizeDeps,
  app: App,
  to: ReturnTo,
  input: StartInput,
  browser: Buffer,
  ip: string,
): Promise<NextStep> {
  const responseType = checkResponseType(app, input)
  const codeChallenge = checkChallenge(app, input, responseType)
  const service = await requireService(deps, app, input.service)
  const accountId = await requireAccountId(deps, app, input.access_token)
  const { scope, flag, force_login: forceLogin = false } = input
  const start: QuestionStart = {
    app,
    connector: service.connector,
    browser,
    ip,
    options: { scope, flag, forceLogin },
    value: { redirectUri: to.redirectUri, responseType, state: to.state, codeChallenge, accountId },
  }
  const given = readAnswers(service, input.answers ?? {})
  if (mustAsk(service, given)) return { kind: 'ask', start }
  return { kind: 'service', url: await sendToService(deps, { ...start, ...service, answers: given.answers }) }
}

export interface SignInStart {
  app: App
  connector: Connector
  /** Undefined: the app registers at the service. */
  ownKey: OpenServiceKey | undefined
  answers: Answers
  browser: Buffer
  ip: string
  options: { scope: string | undefined; flag?: string | undefined; forceLogin: boolean }
  value: Omit<PendingValue, 'upstream' | 'counted'>
}

/** Where people type something, the sign-in begins on our own page. */
async function begin(
  upstream: AuthorizeDeps['upstream'],
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

/** Stores the sign-in and returns the service's authorization URL, after the request itself was checked. */
export async function sendToService(deps: AuthorizeDeps, start: SignInStart): Promise<string> {
  const { app, connector, browser, ip, value: request } = start
  // Before any call to the service: OAuth 1 fetches a request token first.
  const counted = await countSignIn(deps, app.id, ip)
  const state = randomSecret()
  const { begun, access } = await beginWithKey(deps, start, state).catch(async (error: unknown) => {
    // People and apps name servers: failed calls to them count, otherwise anybody could have us call any host without end.
    const hasCalledNamed = Object.keys(start.answers).length > 0 && error instanceof UpstreamError
    if (!hasCalledNamed) await uncountSignIn(deps, app.id, counted)
    throw toAuthorizeError(deps, error, connector.service)
  })
  const { instance, subject } = access
  const value: PendingValue = { ...request, upstream: begun.secrets, instance, subject, counted }
  // An OAuth 1 callback has the request token instead of our `state`.
  const name = begun.requestToken === undefined ? `state ${state}` : `token ${connector.service} ${begun.requestToken}`
  await insertPending(deps.database, deps.keyring, deps.hasher.hash('pending', name), {
    appId: app.id,
    service: connector.service,
    browser,
    value: JSON.stringify(value),
    expiresAt: deps.clock.now() + TEN_MINUTES_MS,
  })
  return begun.url
}

/** A registered key that the service refuses is replaced once. */
async function beginWithKey(
  deps: AuthorizeDeps,
  start: SignInStart,
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
  deps: AuthorizeDeps,
  { app, connector: described, ownKey, answers, options }: SignInStart,
  state: string,
): Promise<{ begun: BegunSignIn; access: SignInAccess }> {
  const access = await openSignInAccess(deps, app, { connector: described, ownKey }, answers)
  const { connector, key, instance, loginHint } = access
  try {
    const begun = await begin(deps.upstream, {
      connector,
      key,
      callbackUrl: callbackUrl(deps, connector.service),
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
  throw new AuthorizeError('unsupported_response_type')
}

const CHALLENGE_FAULT =
  'code_challenge: PKCE needs response_type=code, code_challenge_method=S256 and a code_challenge of 43 characters.'

/** PKCE of the app: only S256, and only with a code. A public app must use it: it has nothing else to prove itself by. */
function checkChallenge(app: App, input: StartInput, responseType: 'code' | 'token'): string | undefined {
  const { code_challenge: challenge, code_challenge_method: method } = input
  const isRequired = app.isPublic && responseType === 'code'
  if (challenge === undefined && method === undefined && !isRequired) return undefined
  if (responseType === 'code' && method === 'S256' && challenge !== undefined && /^[\w-]{43}$/.test(challenge))
    return challenge
  throw new AuthorizeError('invalid_request', { description: CHALLENGE_FAULT })
}

async function requireAccountId(deps: AuthorizeDeps, app: App, token: string | undefined): Promise<string | undefined> {
  if (token === undefined) return undefined
  const account = await accountOf(deps, token)
  if (account?.appId !== app.id) throw new AuthorizeError('invalid_access_token')
  return account.id
}
