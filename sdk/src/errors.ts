import type { Reason } from './generated/api.ts'

/** The reason of an error whose response is not one of Tributary's: a reverse proxy's page, for example. */
export const UNREADABLE = 'unreadable_response'

/** Why a request failed: a reason of the API, or a response that could not be read. A newer server may have more. */
export type ErrorReason = Reason | typeof UNREADABLE

interface ErrorFields<R extends ErrorReason> {
  message: string
  reason: R
  status: number
  code?: number | undefined
  param?: string | undefined
  see?: string | undefined
  requestId?: string | undefined
  retryAfterMs?: number | undefined
}

/** Tributary refused a request. Compare `reason`; the message is for developers. */
export class TributaryError<R extends ErrorReason = ErrorReason> extends Error {
  readonly reason: R
  readonly status: number
  /** The number of the reason, as stable as the word. */
  readonly code: number | undefined
  /** The parameter or field at fault: `limit`, `accounts.3.id`. */
  readonly param: string | undefined
  /** A page that explains the reason. */
  readonly see: string | undefined
  /** The server's log has the request under this id. */
  readonly requestId: string | undefined
  /** How long the server asks to wait. */
  readonly retryAfterMs: number | undefined

  constructor(fields: ErrorFields<R>) {
    super(fields.message)
    this.name = 'TributaryError'
    this.reason = fields.reason
    this.status = fields.status
    this.code = fields.code
    this.param = fields.param
    this.see = fields.see
    this.requestId = fields.requestId
    this.retryAfterMs = fields.retryAfterMs
  }
}

/** Every error of the API as a union: `switch (error.reason)` narrows it. */
export type AnyTributaryError = { [R in ErrorReason]: TributaryError<R> }[ErrorReason]

/** Whether an error is Tributary's and, with reasons, one of these. */
export function isTributaryError<R extends ErrorReason = ErrorReason>(
  error: unknown,
  ...reasons: R[]
): error is { [Each in R]: TributaryError<Each> }[R] {
  return error instanceof TributaryError && (reasons.length === 0 || reasons.some((reason) => reason === error.reason))
}

/** No response came: the connection failed, or broke off. `cause` is the error of `fetch`. */
export class ConnectionError extends Error {
  override name = 'ConnectionError'
}

/** No response came within `timeoutMs`. */
export class TimeoutError extends Error {
  override name = 'TimeoutError'
}

/** A stream ended before it was complete, or does not have the expected format. */
export class StreamError extends Error {
  override name = 'StreamError'
}

/** The person came back without a connection: `reason` is `access_denied`, `service_refused`, … or one of this client's. */
export class ConnectError extends Error {
  override name = 'ConnectError'
  readonly reason: string

  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** Reads the error of a response that is not a success. */
export async function errorOf(response: Response): Promise<TributaryError> {
  const text = await response.text().catch(() => {
    // The status says enough when the body breaks off.
    return ''
  })
  const body = parsed(text)
  const retryAfterMs = retryAfterOf(response.headers)
  if (typeof body['reason'] !== 'string') {
    const message = `The server responded ${response.status}: ${text.slice(0, 200) || 'no body'}`
    return new TributaryError({ message, reason: UNREADABLE, status: response.status, retryAfterMs })
  }
  // Where `error` is the word of RFC 6749, the sentence is in `error_description`.
  const sentence = typeof body['error_description'] === 'string' ? body['error_description'] : undefined
  const isWord = typeof body['error'] !== 'string' || !body['error'].includes(' ')
  return new TributaryError({
    message: isWord ? (sentence ?? body['reason']) : String(body['error']),
    reason: body['reason'] as Reason,
    status: response.status,
    code: typeof body['code'] === 'number' ? body['code'] : undefined,
    param: textOr(body['param']),
    see: textOr(body['see']) ?? textOr(body['error_uri']),
    requestId: textOr(body['request_id']) ?? response.headers.get('x-request-id') ?? undefined,
    retryAfterMs,
  })
}

function textOr(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    // Not JSON: not a response of Tributary.
    return {}
  }
}

/** `Retry-After` in milliseconds: seconds, or a date. */
export function retryAfterOf(headers: Headers, now: number = Date.now()): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
