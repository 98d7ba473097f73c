import { keyFor } from '#access/service-key.ts'
import { typedFieldsOf } from '#kit/auth.ts'
import type { Connector } from '#kit/connector.ts'
import { type App, matchesRedirectUri } from '#model/app.ts'
import { ApiError } from '#model/errors.ts'
import { randomSecret } from '#platform/ids.ts'
import { findApp } from '#store/apps/apps.ts'
import type { OpenServiceKey } from '#store/apps/service-keys.ts'
import { insertPending } from '#store/identity/pending.ts'
import { type BegunSignIn, beginSignIn } from '#upstream/sign-in.ts'
import { accountOf } from './accounts.ts'
import { type AuthorizeDeps, callbackUrl, TEN_MINUTES_MS } from './deps.ts'
import { AuthorizeError } from './errors.ts'
import { type CountedSignIn, countSignIn, uncountSignIn } from './open-sign-ins.ts'
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
}

/** The sealed content of a pending sign-in, for its callback. */
export interface PendingValue {
  redirectUri: string
  responseType: 'code' | 'token'
  state: string | undefined
  codeChallenge: string | undefined
  accountId: string | undefined
  upstream: Record<string, unknown>
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

/** Returns the service's authorization URL for the browser. Errors are returned to the app by redirect. */
export async function startSignIn(
  deps: AuthorizeDeps,
  app: App,
  to: ReturnTo,
  input: StartInput,
  browser: Buffer,
  ip: string,
): Promise<string> {
  const responseType = checkResponseType(app, input)
  const codeChallenge = checkChallenge(app, input, responseType)
  const { connector, key } = await requireService(deps, app, input.service)
  const accountId = await requireAccountId(deps, app, input.access_token)
  const { scope, flag, force_login: forceLogin = false } = input
  return sendToService(deps, {
    app,
    connector,
    key,
    browser,
    ip,
    options: { scope, flag, forceLogin },
    value: { redirectUri: to.redirectUri, responseType, state: to.state, codeChallenge, accountId },
  })
}

interface SignInStart {
  app: App
  connector: Connector
  key: OpenServiceKey
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
export async function sendToService(
  deps: AuthorizeDeps,
  { app, connector, key, browser, ip, options, value: request }: SignInStart,
): Promise<string> {
  // Before any call to the service: OAuth 1 fetches a request token first.
  const counted = await countSignIn(deps, app.id, ip)
  const state = randomSecret()
  const begun = await begin(deps.upstream, {
    connector,
    key,
    callbackUrl: callbackUrl(deps, connector.service),
    state,
    scope: options.scope,
    flag: options.flag,
    forceLogin: options.forceLogin,
  }).catch(async (error: unknown) => {
    await uncountSignIn(deps, app.id, counted)
    throw toAuthorizeError(deps, error, connector.service)
  })
  const value: PendingValue = { ...request, upstream: begun.secrets, counted }
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

export async function requireService(
  deps: AuthorizeDeps,
  app: App,
  service: string | undefined,
): Promise<{ connector: Connector; key: OpenServiceKey }> {
  const connector = service === undefined ? undefined : deps.registry.find(service)
  if (connector === undefined) throw new AuthorizeError('service_unknown')
  const key = await keyFor(deps, app.id, connector)
  if (key === undefined) throw new AuthorizeError('no_service_keys')
  return { connector, key }
}

async function requireAccountId(deps: AuthorizeDeps, app: App, token: string | undefined): Promise<string | undefined> {
  if (token === undefined) return undefined
  const account = await accountOf(deps, token)
  if (account?.appId !== app.id) throw new AuthorizeError('invalid_access_token')
  return account.id
}
