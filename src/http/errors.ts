import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '#model/errors.ts'
import { rateLimitHeaders } from '#model/rate-limit.ts'
import { codeOf, isUnavailable } from '#platform/errors.ts'
import { challengeOf } from './challenge.ts'
import type { HttpDeps } from './deps.ts'
import { nulError } from './nul-character.ts'
import { oauthErrorFields } from './oauth-error-fields.ts'
import { html } from './pages/html.ts'
import { page, sendPage } from './pages/layout.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    page?: boolean
    rawBody?: boolean
  }
}

// Errors of the HTTP library before a route is called.
const LIBRARY: Record<string, ConstructorParameters<typeof ApiError>[0]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'media_type_unsupported',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'bad_request',
  FST_ERR_BAD_URL: 'bad_request',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
}

type ErrorDeps = Pick<HttpDeps, 'log' | 'config'>

const DISK_FULL = '53100'
const NUL_IN_TEXT = '22021'

/** Converts any error to one that the caller may read; the text of an internal error is not disclosed. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const reason = LIBRARY[codeOf(error) ?? '']
  if (reason !== undefined) return new ApiError(reason, undefined, { cause: error })
  if (codeOf(error) === DISK_FULL) return new ApiError('storage_full', undefined, { retryAfterS: 60, cause: error })
  if (isUnavailable(error)) return new ApiError('database_unavailable', undefined, { retryAfterS: 2, cause: error })
  return new ApiError('internal', undefined, { cause: error })
}

export function respondWithError(
  { log, config: { baseUrl } }: ErrorDeps,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const refusal = codeOf(error) === NUL_IN_TEXT ? nulError(request, error) : toApiError(error)
  if (refusal.status >= 500)
    log.error('a request failed', { request_id: request.id, reason: refusal.reason, error: refusal.cause ?? refusal })
  if (refusal.retryAfterS !== undefined) void reply.header('retry-after', String(refusal.retryAfterS))
  void reply.headers(rateLimitHeaders(refusal.rateLimits))
  const challenge = challengeOf(refusal, request.headers.authorization !== undefined)
  if (challenge !== undefined) void reply.header('www-authenticate', challenge)
  if (wantsPage(request)) return sendPage(reply, errorPage(refusal, request.id), refusal.status)
  const body = errorBody(refusal, request.id, baseUrl)
  return reply
    .code(refusal.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ ...body, ...oauthErrorFields(refusal, request, body.see) }))
}

// Only routes for browsers respond with pages, and only if the client accepts HTML.
function wantsPage(request: FastifyRequest): boolean {
  return request.routeOptions.config.page === true && (request.headers.accept ?? '').includes('text/html')
}

function errorPage(refusal: ApiError, requestId: string): string {
  return page(
    'This did not work · Tributary',
    html`<h1>This did not work</h1>
<div class="card"><p>${refusal.message.replaceAll('`', '')}</p><p>Go back to the app you came from and try again.</p>
<p class="soft"><a href="/docs#${refusal.reason}"><code>${refusal.reason}</code></a> · <code>${requestId}</code></p></div>`,
    { narrow: true },
  )
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
