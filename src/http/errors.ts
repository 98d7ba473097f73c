import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '#model/errors.ts'
import { codeOf, isUnavailable } from '#platform/errors.ts'
import type { Log } from '#platform/telemetry/log.ts'
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
  FST_ERR_CTP_EMPTY_JSON_BODY: 'bad_body',
  FST_ERR_CTP_INVALID_JSON_BODY: 'bad_body',
  FST_ERR_BAD_URL: 'bad_request',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
}

const DISK_FULL = '53100'

/** Converts any error to one that the caller may read; the text of an internal error is not disclosed. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const reason = LIBRARY[codeOf(error) ?? '']
  if (reason !== undefined) return new ApiError(reason, undefined, { cause: error })
  if (error instanceof SyntaxError) return new ApiError('bad_body', 'The body is not valid JSON.', { cause: error })
  // PostgreSQL cannot store U+0000 in a text.
  if (codeOf(error) === '22021')
    return new ApiError('bad_parameter', 'A text contains the character U+0000.', { cause: error })
  if (codeOf(error) === DISK_FULL) return new ApiError('storage_full', undefined, { retryAfterS: 60, cause: error })
  if (isUnavailable(error)) return new ApiError('database_unavailable', undefined, { retryAfterS: 2, cause: error })
  return new ApiError('internal', undefined, { cause: error })
}

export function respondWithError(log: Log, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = toApiError(error)
  if (refusal.status >= 500)
    log.error('a request failed', { request_id: request.id, reason: refusal.reason, error: refusal.cause ?? refusal })
  if (refusal.retryAfterS !== undefined) void reply.header('retry-after', String(refusal.retryAfterS))
  if (refusal.status === 401)
    void reply.header(
      'www-authenticate',
      refusal.reason === 'app_secret_invalid' ? 'Basic realm="tributary"' : 'Bearer',
    )
  if (wantsPage(request)) return sendPage(reply, errorPage(refusal, request.id), refusal.status)
  return reply
    .code(refusal.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(errorBody(refusal, request.id)))
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
<p class="soft"><code>${refusal.reason}</code> · <code>${requestId}</code></p></div>`,
    { narrow: true },
  )
}

export function errorBody(refusal: ApiError, requestId: string): Record<string, string> {
  return {
    error: refusal.message,
    reason: refusal.reason,
    request_id: requestId,
    ...(refusal.see === undefined ? {} : { see: refusal.see }),
  }
}
