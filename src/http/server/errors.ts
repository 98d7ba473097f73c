import { PROGRAM } from '#config/program-name.ts'
import { ApiError } from '#model/errors.ts'
import { rateLimitHeaders } from '#model/sync/rate-limit.ts'
import { SealError } from '#platform/crypto/sealing.ts'
import { codeOf, isUnavailable } from '#platform/errors.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { errorPage } from '../pages/error-page.ts'
import { languageFor, sendPersonPage } from '../pages/person-page.ts'
import { nulError } from '../request/nul-character.ts'
import { challengeOf } from './challenge.ts'
import type { HttpDeps } from './deps.ts'
import { appOfBrowser } from './last-app.ts'
import { isLocalCaller } from './local-caller.ts'
import { oauthErrorFields } from './oauth-error-fields.ts'

type ErrorDeps = Pick<HttpDeps, 'log' | 'config' | 'hasher'>

const DISK_FULL = '53100'
const NUL_IN_TEXT = '22021'

/** Converts any error to one that the caller may read; the text of an internal error is not disclosed. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (codeOf(error) === DISK_FULL) return new ApiError('storage_full', undefined, { retryAfterS: 60, cause: error })
  if (isUnavailable(error)) return new ApiError('database_unavailable', undefined, { retryAfterS: 2, cause: error })
  if (error instanceof SealError && error.reason === 'unknown_key')
    return new ApiError('key_missing', undefined, { cause: error })
  return new ApiError('internal', undefined, { cause: error })
}

export function respondWithError(deps: ErrorDeps, error: unknown, request: HttpRequest, reply: HttpReply): HttpReply {
  const {
    log,
    config: { baseUrl },
  } = deps
  const refusal = codeOf(error) === NUL_IN_TEXT ? nulError(request, error) : toApiError(error)
  if (refusal.status >= 500)
    log.error('a request failed', { request_id: request.id, reason: refusal.reason, error: refusal.cause ?? refusal })
  if (refusal.retryAfterS !== undefined) reply.header('retry-after', String(refusal.retryAfterS))
  reply.headers(rateLimitHeaders(refusal.rateLimits))
  const challenge = challengeOf(refusal, request.headers.authorization !== undefined)
  if (challenge !== undefined) reply.header('www-authenticate', challenge)
  if (wantsPage(request)) return sendErrorPage(deps, refusal, request, reply)
  const body = errorBody(refusal, request.id, baseUrl)
  return reply
    .code(refusal.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ ...body, ...oauthErrorFields(refusal, request, body.see) }))
}

/**
 * Routes for browsers, and addresses and methods that do not exist, respond with pages, and only if the client accepts HTML. Programs
 * that accept anything get JSON. The origin of a service has no pages.
 */
function wantsPage(request: HttpRequest): boolean {
  if (request.origin !== undefined) return false
  const isForBrowsers = request.route.url === undefined || request.route.page === true
  return isForBrowsers && (request.headers.accept ?? '').includes('text/html')
}

function sendErrorPage(deps: ErrorDeps, refusal: ApiError, request: HttpRequest, reply: HttpReply): HttpReply {
  const { baseUrl } = deps.config
  const isLocal = isLocalCaller(request.ip, request.headers, baseUrl)
  const [path = ''] = request.url.split('?', 1)
  const view = {
    refusal,
    requestId: request.id,
    request: `${request.method} ${path}`,
    docs: refusal.see ?? `/docs#${refusal.reason}`,
    registered: visibleAddresses(refusal, isLocal),
    program: isLocal ? PROGRAM : 'tributary',
    back: appOfBrowser(deps, request),
  }
  const page = errorPage(view, languageFor(request, undefined))
  return sendPersonPage(reply, page, refusal.status)
}

/**
 * Client ids are public, and an app may have addresses that are not, such as that of a test server. So a stranger sees only
 * addresses on the host that they named themselves; the developer at the server's own machine sees all.
 */
function visibleAddresses({ help }: ApiError, isLocal: boolean): readonly string[] {
  const { registered = [], sent } = help ?? {}
  if (isLocal) return registered
  const host = hostOf(sent?.['redirect_uri'])
  return host === undefined ? [] : registered.filter((each) => hostOf(each) === host)
}

function hostOf(address: string | undefined): string | undefined {
  const host = address === undefined ? undefined : URL.parse(address)?.host
  return host === '' ? undefined : host
}

/** Limit: characters of an error's sentence, which may quote the request; the rest is cut off. */
const MAX_SENTENCE = 1000
/** Limit: characters of the name of the parameter or field at fault; the rest is cut off. */
const MAX_PARAM = 200

function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}…`
}

export interface ErrorBody {
  error: string
  code: number
  reason: string
  param?: string
  see: string
  request_id: string
}

/** The body of every error. `see` is the description of the reason on the reference page, or a page that helps more. */
export function errorBody(refusal: ApiError, requestId: string, baseUrl: string): ErrorBody {
  return {
    error: cut(refusal.message, MAX_SENTENCE),
    code: refusal.code,
    reason: refusal.reason,
    ...(refusal.param === undefined ? {} : { param: cut(refusal.param, MAX_PARAM) }),
    see: refusal.see ?? `${baseUrl}/docs#${refusal.reason}`,
    request_id: requestId,
  }
}
