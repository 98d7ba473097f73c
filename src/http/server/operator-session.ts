import { timingSafeEqual } from 'node:crypto'
import { operatorOfSession } from '#flows/operators/sessions.ts'
import type { Operator } from '#model/apps/operator.ts'
import { ApiError } from '#model/errors.ts'
import { encodeBase32 } from '#platform/crypto/ids.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { cookieName, readCookie, setCookie } from './cookies.ts'
import type { HttpDeps } from './deps.ts'
import { isOwnOrigin } from './own-page.ts'

/**
 * Sent by the dashboard with each request. A page of another origin can only send it after a preflight, which is not answered with
 * credentials; so a cookie without it proves nothing.
 */
const DASHBOARD_HEADER = 'tributary-dashboard'
const SESSION = 'tributary-session'
const KNOWN = 'tributary-operator'
/** How often it is verified that the session of an open response still exists. */
const VERIFY_MS = 2000

export interface SessionDeps extends Pick<HttpDeps, 'database' | 'hasher' | 'clock' | 'log'> {
  config: Pick<HttpDeps['config'], 'baseUrl'>
}

/** Whether the dashboard sent the request. */
export function isFromDashboard(request: HttpRequest): boolean {
  return request.headers[DASHBOARD_HEADER] !== undefined
}

/** Requires a request of the dashboard itself, from a page of our own origin. */
export function requireDashboard(deps: Pick<SessionDeps, 'config'>, request: HttpRequest): void {
  const { headers } = request
  const isOwn = headers.origin === undefined || isOwnOrigin(deps.config.baseUrl, headers)
  if (headers[DASHBOARD_HEADER] !== '1' || !isOwn) throw new ApiError('origin_refused')
}

/** The operator who is signed in in this browser; undefined if nobody is. */
export async function signedInOperator(deps: SessionDeps, request: HttpRequest): Promise<Operator | undefined> {
  const token = sessionToken(deps, request)
  return token === undefined ? undefined : operatorOfSession(deps, token)
}

export async function requireSignedIn(deps: SessionDeps, request: HttpRequest): Promise<Operator> {
  const operator = await signedInOperator(deps, request)
  if (operator === undefined) throw new ApiError('signed_out')
  return operator
}

/** The value of the session's cookie. */
export function sessionToken(deps: Pick<SessionDeps, 'config'>, request: HttpRequest): string | undefined {
  const value = readCookie(request, nameIn(deps, SESSION))
  return value !== undefined && /^[0-9a-z]{52}$/.test(value) ? value : undefined
}

/** Limit: days for which a browser remembers who signed in with it. */
const MAX_KNOWN_DAYS = 180

/** Remembers who signed in with this browser. It proves nothing but that, and gives a place before strangers who guess. */
export function setKnown(deps: Pick<SessionDeps, 'config' | 'hasher'>, reply: HttpReply, operatorId: string): void {
  const value = `${operatorId}.${proofOf(deps, operatorId)}`
  setCookie(deps, reply, nameIn(deps, KNOWN), value, { sameSite: 'Strict', maxAgeS: MAX_KNOWN_DAYS * 86_400 })
}

/** Who signed in with this browser before. */
export function knownOperator(deps: Pick<SessionDeps, 'config' | 'hasher'>, request: HttpRequest): string | undefined {
  const [id = '', proof = ''] = readCookie(request, nameIn(deps, KNOWN))?.split('.') ?? []
  const [expected, given] = [Buffer.from(proofOf(deps, id)), Buffer.from(proof)]
  return expected.length === given.length && timingSafeEqual(expected, given) ? id : undefined
}

function proofOf({ hasher }: Pick<SessionDeps, 'hasher'>, operatorId: string): string {
  return encodeBase32(hasher.hash('known_operator', operatorId))
}

/** Without a lifetime: the server ends sessions, and a browser that is closed forgets the cookie. */
export function setSession(deps: Pick<SessionDeps, 'config'>, reply: HttpReply, token: string): void {
  setCookie(deps, reply, nameIn(deps, SESSION), token, { sameSite: 'Strict' })
}

export function clearSession(deps: Pick<SessionDeps, 'config'>, reply: HttpReply): void {
  setCookie(deps, reply, nameIn(deps, SESSION), '', { sameSite: 'Strict', maxAgeS: 0 })
}

/**
 * Ends an open response when the session of its operator has ended or their rights changed: a stream, an export, a proxied body.
 * A response that is quick costs no query.
 */
export function followSession(
  deps: SessionDeps,
  request: HttpRequest,
  reply: HttpReply,
  operatorOf: (request: HttpRequest) => Operator | undefined,
): void {
  const verify = async () => {
    const operator = operatorOf(request)
    if (operator?.session === undefined || isSame(operator, await signedInOperator(deps, request))) return
    deps.log.info('a response ended because the session of its operator ended', { request_id: request.id })
    reply.raw.destroy()
  }
  const timer = setInterval(() => {
    verify().catch((error: unknown) => deps.log.debug('could not verify the session of a response', { error }))
  }, VERIFY_MS).unref()
  reply.raw.once('close', () => clearInterval(timer))
}

function isSame(one: Operator, other: Operator | undefined): boolean {
  return JSON.stringify([one.role, one.apps]) === JSON.stringify([other?.role, other?.apps])
}

// Cookies of one host are shared by its ports, so that of a second server on this machine has another name.
function nameIn(deps: Pick<SessionDeps, 'config'>, name: string): string {
  const { protocol, port } = new URL(deps.config.baseUrl)
  return cookieName(deps, `${name}${protocol === 'https:' || port === '' ? '' : `-${port}`}`)
}
