import type { OAuth2 } from '#kit/auth/auth.ts'
import type { UpstreamReason } from '#model/sync/upstream-reasons.ts'
import { retryAfterMs } from '#platform/formats/retry-after.ts'
import { excerpt, type Recovery, UpstreamError } from './errors.ts'
import { isObject, type LosslessObject } from './parse-object.ts'
import { isMarkup } from './response-failure.ts'
import type { UpstreamResponse } from './send.ts'

const MEANINGS: Record<string, [Recovery, UpstreamReason]> = {
  invalid_grant: ['reauthorize', 'grant_refused'],
  invalid_token: ['reauthorize', 'grant_refused'],
  access_denied: ['reauthorize', 'grant_refused'],
  interaction_required: ['reauthorize', 'grant_refused'],
  login_required: ['reauthorize', 'grant_refused'],
  consent_required: ['reauthorize', 'grant_refused'],
  invalid_client: ['stop', 'keys_refused'],
  unauthorized_client: ['stop', 'keys_refused'],
  invalid_request: ['stop', 'request_refused'],
  invalid_scope: ['stop', 'request_refused'],
  unsupported_grant_type: ['stop', 'request_refused'],
  invalid_dpop_proof: ['stop', 'request_refused'],
  use_dpop_nonce: ['retry', 'service_failed'],
  temporarily_unavailable: ['retry', 'service_failed'],
  server_error: ['retry', 'service_failed'],
  slow_down: ['retry', 'rate_limited'],
}

const REASONS: Record<'retry' | 'reauthorize' | 'stop', UpstreamReason> = {
  retry: 'service_failed',
  reauthorize: 'grant_refused',
  stop: 'keys_refused',
}

export interface TokenFailureContext {
  auth: Pick<OAuth2, 'errors' | 'errorField'>
  /** What was requested, in one or two words. */
  what: string
  /** The request presented a refresh token, so a complaint about a token is about that one. */
  isRefresh?: boolean | undefined
  nowMs: number
  secrets: readonly (string | undefined)[]
}

/** The error code of a token response, also with status 200, inside an object, or as the resource of a list of errors. */
export function errorCodeOf(fields: LosslessObject | undefined, field?: string): string | undefined {
  const [listed] = Array.isArray(fields?.['errors']) ? fields['errors'] : []
  if (fields?.['error'] === undefined && isObject(listed)) return stringOf(listed['resource'])
  const error = field === undefined ? (fields?.['error'] ?? fields?.['errorCode']) : fields?.[field]
  if (isObject(error)) return stringOf(error['code']) ?? stringOf(error['type']) ?? 'unnamed'
  if (error === undefined || error === null || error === false || error === '' || error === 0) return undefined
  return stringOf(error) ?? 'unnamed'
}

/** Classifies a failed token response. An outage must never count as a lost grant. */
export function tokenFailure(
  reply: UpstreamResponse,
  fields: LosslessObject | undefined,
  context: TokenFailureContext,
): UpstreamError {
  const { status } = reply
  const code = errorCodeOf(fields, context.auth.errorField)
  const [recovery, reason] = isDeadRefreshToken(code, fields, context)
    ? classify(reply, 'invalid_grant', context)
    : classify(reply, code, context)
  const description = [code, fields?.['error_description']].filter((part) => typeof part === 'string').join(': ')
  const said = description === '' ? undefined : excerpt(description, context.secrets)
  const detail = said === undefined ? '' : `: ${said}`
  return new UpstreamError(recovery, `The service responded ${status} (${context.what})${detail}`, {
    reason,
    status,
    retryAfterMs: retryAfterMs(reply.headers, context.nowMs),
    said,
  })
}

/**
 * Some services (X) refuse a spent or revoked refresh token with `invalid_request` instead of `invalid_grant`. Every other
 * parameter is the same for all people, so without the word “token” the request itself is wrong.
 */
function isDeadRefreshToken(
  code: string | undefined,
  fields: LosslessObject | undefined,
  { isRefresh, auth }: TokenFailureContext,
): boolean {
  if (isRefresh !== true || code !== 'invalid_request' || Object.hasOwn(auth.errors, code)) return false
  const description = stringOf(fields?.['error_description']) ?? ''
  return /token/i.test(description) && /invalid|expired|revoked|unknown|not (?:valid|found|active)/i.test(description)
}

function classify(
  reply: UpstreamResponse,
  code: string | undefined,
  context: TokenFailureContext,
): [Recovery, UpstreamReason] {
  const { status, text } = reply
  if (status === 429) return ['retry', 'rate_limited']
  if (status >= 500 || status === 408 || status === 425) return ['retry', 'service_failed']
  if (status >= 300 && status < 400) return ['stop', 'redirect_refused']
  if (code !== undefined && Object.hasOwn(context.auth.errors, code)) {
    const recovery = context.auth.errors[code]!
    return [recovery, REASONS[recovery]]
  }
  if (code !== undefined && Object.hasOwn(MEANINGS, code)) return MEANINGS[code]!
  if (status === 404 || status === 405 || status === 410) return ['stop', 'address_wrong']
  // An HTML page, or a 2xx without token and error, comes from a proxy in front of the service.
  if (isMarkup(text) || (status < 300 && code === undefined)) return ['retry', 'answer_unreadable']
  return ['reauthorize', 'grant_refused']
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined
}
