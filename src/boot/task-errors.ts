import { ApiError, type Reason } from '#model/errors.ts'
import type { UpstreamReason } from '#model/sync/upstream-reasons.ts'
import { EgressError, type EgressReason, egressErrorIn, type RefusedHost } from '#platform/egress/errors.ts'
import { codeOf, reasonOf } from '#platform/errors.ts'
import { type Recovery, UpstreamError } from '#upstream/request/errors.ts'

/** The result of a task as plain values, which can be sent to another process. */
export type Outcome<Value> = { value: Value } | { error: PlainError }

type PlainError =
  | {
      type: 'api'
      reason: Reason
      message: string
      param: string | undefined
      see: string | undefined
      retryAfterS: number | undefined
    }
  | {
      type: 'upstream'
      recovery: Recovery
      reason: UpstreamReason
      message: string
      status: number | undefined
      retryAfterMs: number | undefined
      /** Why the egress guard refused the call. */
      refusal: ({ reason: EgressReason; message: string } & RefusedHost) | undefined
    }
  | { type: 'other'; message: string; code: string | undefined }

/** Errors that callers distinguish keep their type; others are bugs or an unreachable database. */
export async function outcomeOf<Value>(work: Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { value: await work }
  } catch (error) {
    return { error: toPlainError(error) }
  }
}

export function valueOf<Value>(outcome: Outcome<Value>): Value {
  if ('value' in outcome) return outcome.value
  throw fromPlainError(outcome.error)
}

function toPlainError(error: unknown): PlainError {
  const message = reasonOf(error)
  if (error instanceof ApiError)
    return {
      type: 'api',
      reason: error.reason,
      message,
      param: error.param,
      see: error.see,
      retryAfterS: error.retryAfterS,
    }
  if (error instanceof UpstreamError) {
    const { recovery, reason, status, retryAfterMs } = error
    return { type: 'upstream', recovery, reason, message, status, retryAfterMs, refusal: refusalIn(error) }
  }
  return { type: 'other', message, code: codeOf(error) }
}

function refusalIn(error: UpstreamError) {
  const found = egressErrorIn(error)
  if (found === undefined) return undefined
  const { reason, message, ofName, host, list } = found
  return { reason, message, ofName, host, list }
}

function fromPlainError(error: PlainError): Error {
  if (error.type === 'api') {
    const { reason, message, param, see, retryAfterS } = error
    return new ApiError(reason, message, {
      param,
      ...(see === undefined ? {} : { see }),
      ...(retryAfterS === undefined ? {} : { retryAfterS }),
    })
  }
  if (error.type === 'upstream') {
    const { refusal } = error
    const cause = refusal && new EgressError(refusal.reason, refusal.message, refusal)
    return new UpstreamError(error.recovery, error.message, { ...error, cause })
  }
  return Object.assign(new Error(error.message), error.code === undefined ? {} : { code: error.code })
}
