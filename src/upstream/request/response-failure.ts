import type { UpstreamReason } from '#model/sync/upstream-reasons.ts'
import { retryAfterMs } from '#platform/formats/retry-after.ts'
import { excerpt, type Recovery, UpstreamError } from './errors.ts'
import { isObject, parseFields } from './parse-object.ts'
import type { UpstreamResponse } from './send.ts'

export interface FailureContext {
  /** What was requested, in one or two words. */
  what: string
  nowMs: number
  /** The recovery if the service responds 401 or 403. */
  refused: Recovery
  secrets?: readonly (string | undefined)[] | undefined
}

/** Classifies a response that is not a success. */
export function responseFailure(
  response: UpstreamResponse,
  { what, nowMs, refused, secrets }: FailureContext,
): UpstreamError {
  const { status } = response
  const detail = excerpt(isMarkup(response.text) ? '' : response.text, secrets)
  const message = `The service responded ${status} (${what})${detail === '' ? '' : `: ${detail}`}`
  const fail = (recovery: Recovery, reason: UpstreamReason) =>
    new UpstreamError(recovery, message, {
      reason,
      status,
      retryAfterMs: retryAfterMs(response.headers, nowMs),
      said: saidIn(response.text, secrets),
    })
  // Also in the middle of a walk, which continues once the bill is paid: what was read before is not paid twice.
  if (status === 402) return fail('retry', 'unpaid')
  if (status === 429) return fail('retry', 'rate_limited')
  if (status >= 500 || status === 408 || status === 425) return fail('retry', 'service_failed')
  if (status >= 300 && status < 400) return fail('stop', 'redirect_refused')
  if (status === 401 || status === 403) return fail(refused, 'service_refused')
  if (status === 404 || status === 410) return fail('skip', 'not_found')
  return fail('stop', 'unexpected_answer')
}

/** The error that a response names in a field. Other texts may come from a server that only looks like the service. */
function saidIn(text: string, secrets: FailureContext['secrets']): string | undefined {
  const fields = parseFields(text)
  const named = [fields?.['error'], fields?.['error_description'] ?? fields?.['message']].flatMap((part) =>
    isObject(part) ? [part['code'], part['message']] : [part],
  )
  const words = named.filter((part): part is string => typeof part === 'string' && part !== '')
  return words.length === 0 ? undefined : excerpt(words.join(': '), secrets)
}

/** True for HTML pages, which have no machine-readable error. */
export function isMarkup(text: string): boolean {
  return text.trimStart().startsWith('<')
}
