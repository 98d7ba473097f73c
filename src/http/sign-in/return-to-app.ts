import type { ReturnTo } from '#flows/sign-in/return-to.ts'
import type { SignInDeps } from '#identity/deps.ts'
import { AuthorizeError, type AuthorizeReason } from '#identity/errors.ts'
import { stopWith } from '#identity/sign-in-trace.ts'
import { ApiError } from '#model/errors.ts'
import { describeError } from '#model/oauth-errors.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpDeps } from '../server/deps.ts'

type ReturnDeps = { config: Pick<HttpDeps['config'], 'baseUrl'> }

/** Redirects the browser to the app. The caller has checked that the address is registered for it. */
export function returnCode(deps: ReturnDeps, reply: HttpReply, to: ReturnTo, code: string): HttpReply {
  return redirect(reply, withQuery(to.redirectUri, { code, ...originOf(deps, to) }))
}

/** In the fragment, which browsers do not send to servers. */
export function returnToken(
  deps: ReturnDeps,
  reply: HttpReply,
  to: ReturnTo,
  token: string,
  account: string,
): HttpReply {
  return redirect(reply, `${to.redirectUri}#${encode({ access_token: token, account, ...originOf(deps, to) })}`)
}

/** Names the profile that was connected again. The app asked for it, so there is no code. */
export function returnReconnected({ config }: ReturnDeps, reply: HttpReply, to: ReturnTo): HttpReply {
  const { profile, account } = to.reconnect ?? {}
  return redirect(reply, withQuery(to.redirectUri, { reconnected: profile, account, iss: config.baseUrl }))
}

export function returnError(deps: ReturnDeps, reply: HttpReply, to: ReturnTo, error: AuthorizeError): HttpReply {
  return redirect(reply, errorAddress(deps, to, error))
}

/** Returns why a sign-in could not be started. What only the person can mend is thrown, for an error page. */
export function returnFailure(
  { config, log, trace }: Pick<SignInDeps, 'config' | 'log' | 'trace'>,
  reply: HttpReply,
  to: ReturnTo,
  error: unknown,
): HttpReply {
  if (error instanceof ApiError) throw error
  stopWith(trace, error)
  if (!(error instanceof AuthorizeError))
    log.error('a sign-in could not be started', { request_id: reply.request.id, error })
  return returnError(
    { config },
    reply,
    to,
    error instanceof AuthorizeError ? error : new AuthorizeError('server_error'),
  )
}

/** The address that tells the app of an error; also the target of a link “Cancel”. */
export function errorAddress(deps: ReturnDeps, to: ReturnTo, error: AuthorizeError): string {
  const { reason } = error
  const given = {
    error: reason,
    error_description: describeError(error.message),
    error_uri: reason === 'access_denied' ? undefined : errorUri(deps, reason),
    ...failedReconnect(to),
    ...originOf(deps, to),
  }
  const address = withQuery(to.redirectUri, given)
  // Scripts of the token flow read the fragment (RFC 6749 4.2.2.1); servers see the query only.
  return to.responseType === 'token' ? `${address}#${encode(given)}` : address
}

/** The description of an authorization error on the reference page. */
export function errorUri({ config }: ReturnDeps, reason: AuthorizeReason): string {
  return `${config.baseUrl}/docs#sign-in-${reason}`
}

function failedReconnect({ reconnect }: ReturnTo): Record<string, string> {
  return reconnect === undefined ? {} : { reconnect: reconnect.profile, account: reconnect.account }
}

/** The request and the server that this response comes from: a client of several servers compares `iss` (RFC 9207). */
function originOf({ config }: ReturnDeps, to: ReturnTo): { state: string | undefined; iss: string } {
  return { state: to.state, iss: config.baseUrl }
}

/** Appends to the query and keeps the registered address byte for byte. */
function withQuery(uri: string, params: Record<string, string | undefined>): string {
  const joiner = !uri.includes('?') ? '?' : uri.endsWith('?') || uri.endsWith('&') ? '' : '&'
  return `${uri}${joiner}${encode(params)}`
}

function encode(params: Record<string, string | undefined>): string {
  return new URLSearchParams(
    Object.entries(params).filter((pair): pair is [string, string] => pair[1] !== undefined),
  ).toString()
}

// 303 turns a POST into a GET; 307 would send the form to the app.
function redirect(reply: HttpReply, address: string): HttpReply {
  return reply
    .code(reply.request.method === 'GET' ? 302 : 303)
    .header('location', address)
    .send()
}
