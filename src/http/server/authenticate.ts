import { createHash, timingSafeEqual } from 'node:crypto'
import { authenticateApp, findNamedApp } from '#flows/apps/authenticate-app.ts'
import { limitGuesses } from '#flows/apps/limit-guesses.ts'
import { recordReading } from '#flows/operators/record-acting.ts'
import { accountById, accountOf } from '#identity/accounts.ts'
import type { Account, OpenedAccount } from '#model/accounts/account.ts'
import type { App } from '#model/apps/app.ts'
import { ADMIN, mayUseApp, type Operator } from '#model/apps/operator.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import { decodePercent } from '#platform/formats/decode-percent.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { queryOf } from '../request/query-pairs.ts'
import type { HttpDeps } from './deps.ts'
import { isFromDashboard, requireDashboard, requireSignedIn, type SessionDeps } from './operator-session.ts'

/** Names the app for which an operator uses a route of apps. */
const APP_HEADER = 'tributary-app'
/** Names the account for which an operator uses a route of accounts. */
const ACCOUNT_HEADER = 'tributary-account'

/** What finding the caller depends on. */
export type CallerDeps = SessionDeps & Pick<HttpDeps, 'adminToken' | 'tokenUses'>

const NO_CREDENTIALS =
  'No client id and client secret were sent. Send them with HTTP Basic, the client id as the name and the secret as the password.'
/** Credentials that their first letters tell from access tokens, and how they are sent. */
const OTHER_CREDENTIALS: Record<string, string> = {
  trs_: 'This is a client secret, not an access token. Send it with HTTP Basic, after the client id.',
  tra_: 'This is an admin token, not an access token: it has no account of its own.',
  trc_: 'This is a code of a sign-in, not an access token. Exchange it at POST /oauth/access_token first.',
}

const operators = new WeakMap<HttpRequest, Operator>()

/** The operator who calls; undefined if an app or a person calls. Known once the caller was authenticated. */
export function operatorOf(request: HttpRequest): Operator | undefined {
  return operators.get(request)
}

/** Requires the admin token in `Authorization: Bearer`, or the session of an operator in a request of the dashboard. */
export async function requireOperator(deps: CallerDeps, request: HttpRequest): Promise<Operator> {
  const { authorization } = request.headers
  const operator = await (authorization === undefined && isFromDashboard(request)
    ? requireSession(deps, request)
    : requireAdminToken(deps, request, authorization))
  operators.set(request, operator)
  return operator
}

/** For what concerns the whole installation. */
export async function requireFullOperator(deps: CallerDeps, request: HttpRequest): Promise<void> {
  const { role } = await requireOperator(deps, request)
  if (role !== 'operator') throw new ApiError('role_refused')
}

async function requireSession(deps: CallerDeps, request: HttpRequest): Promise<Operator> {
  requireDashboard(deps, request)
  return requireSignedIn(deps, request)
}

/** Wrong tokens are counted like wrong secrets. */
async function requireAdminToken(
  deps: CallerDeps,
  request: HttpRequest,
  secret: string | undefined,
): Promise<Operator> {
  const refusal = () => new ApiError('admin_token_invalid')
  if (secret === undefined) throw refusal()
  const guess = { subject: 'admin', address: request.ip, secret }
  return limitGuesses(deps, guess, refusal, async () => (isAdmin(deps, secret) ? ADMIN : undefined))
}

function isAdmin({ adminToken }: CallerDeps, authorization: string): boolean {
  const given = /^Bearer (.+)$/i.exec(authorization)?.[1]
  return given !== undefined && adminToken !== undefined && sameText(given, adminToken)
}

/** Whether the caller names an app to act for. */
export const actsForApp = (request: HttpRequest): boolean => request.headers[APP_HEADER] !== undefined

/** Requires HTTP Basic with `client_id:client_secret`, or an operator who names the app in a header. */
export async function requireApp(deps: CallerDeps, request: HttpRequest): Promise<App> {
  const acted = request.headers[APP_HEADER]
  if (acted !== undefined) return appForOperator(deps, await requireOperator(deps, request), String(acted))
  const credentials = basicCredentials(request.headers.authorization)
  if (credentials === undefined) throw new ApiError('app_secret_invalid', NO_CREDENTIALS)
  return authenticateApp(deps, credentials.id, credentials.secret, request.ip)
}

/** An app that the operator may not use looks like one that does not exist. */
async function appForOperator(deps: CallerDeps, operator: Operator, clientId: string): Promise<App> {
  if (!mayUseApp(operator, clientId)) throw new ApiError('client_unknown')
  return findNamedApp(deps, clientId)
}

/** Whether an operator calls for an account, which is then not found by a token. */
export function actsForAccount(request: HttpRequest): boolean {
  return request.headers[ACCOUNT_HEADER] !== undefined
}

/** Requires an access token, or an operator who names the account in a header. */
export async function requireAccount(deps: CallerDeps, request: HttpRequest): Promise<Account> {
  const acted = request.headers[ACCOUNT_HEADER]
  return acted === undefined ? openAccount(deps, request) : accountForOperator(deps, request, String(acted))
}

/** An account of an app that the operator may not use looks like one that does not exist. */
async function accountForOperator(deps: CallerDeps, request: HttpRequest, id: string): Promise<Account> {
  const operator = await requireOperator(deps, request)
  const account = await accountById(deps, id)
  if (!mayUseApp(operator, account.appId)) throw new ApiError('not_found', `There is no account ${id}.`)
  if (request.method === 'GET' || request.method === 'HEAD') await recordReading(deps, operator, account)
  return { ...account, isActedFor: true }
}

/** The account of the request's access token. */
export async function openAccount(
  deps: Pick<HttpDeps, 'database' | 'hasher' | 'tokenUses'>,
  request: HttpRequest,
): Promise<OpenedAccount> {
  const token = tokenOf(request)
  const account = await accountOf(deps, token)
  if (account === undefined) throw new ApiError('token_invalid', OTHER_CREDENTIALS[token.slice(0, 4)])
  deps.tokenUses.note(account)
  return account
}

/** Whether the request names an account, by an access token or a header, valid or not. */
export function hasToken(request: HttpRequest): boolean {
  return (
    actsForAccount(request) ||
    'access_token' in queryOf(request) ||
    /^Bearer /i.test(request.headers.authorization ?? '')
  )
}

/** The access token, as `access_token` in the query or as Bearer; two different ones are an error. */
export function tokenOf(request: HttpRequest): string {
  const { access_token: inQuery } = queryOf(request)
  if (inQuery !== undefined && typeof inQuery !== 'string')
    throw invalidInput('bad_parameter', 'access_token', 'was given more than once.')
  const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (inQuery !== undefined && bearer !== undefined && inQuery !== bearer) throw new ApiError('token_conflict')
  const token = inQuery ?? bearer
  if (token === undefined || token === '') throw new ApiError('token_missing')
  return token
}

/** Id and secret may be form-encoded inside Basic (RFC 6749 2.3.1), even the underscore; ours never contain a `%`. */
export function basicCredentials(header: string | undefined): { id: string; secret: string } | undefined {
  const encoded = /^Basic ([A-Za-z0-9+/=_-]+)$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 1 ? undefined : { id: formDecoded(text.slice(0, colon)), secret: formDecoded(text.slice(colon + 1)) }
}

function formDecoded(text: string): string {
  return text.includes('%') ? (decodePercent(text) ?? text) : text
}

// Hashed first, so that the time does not reveal the length either.
function sameText(a: string, b: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest()
  return timingSafeEqual(digest(a), digest(b))
}
