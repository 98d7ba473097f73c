import type { LearnedLimits } from '#access/learn-limits.ts'
import { type Recovery, UpstreamError } from '#upstream/errors.ts'
import { responseFailure } from '#upstream/response-failure.ts'
import type { UpstreamResponse } from '#upstream/send.ts'

/** What an answer that brought no page means, in the service's own words where it has some. */
export function failureOf(
  reply: UpstreamResponse,
  recovery: Recovery | undefined,
  { scope, refusedForMs }: LearnedLimits,
  nowMs: number,
): UpstreamError {
  const { status } = reply
  const usual = responseFailure(reply, { what: 'sync', nowMs, refused: status === 401 ? 'reauthorize' : 'stop' })
  if (refusedForMs === undefined)
    return new UpstreamError(recovery ?? usual.recovery, usual.message, {
      reason: usual.reason,
      status,
      retryAfterMs: usual.retryAfterMs,
    })
  return new UpstreamError('retry', usual.message, {
    reason: scope === 'endpoint' ? 'rate_limited_here' : 'rate_limited',
    status,
    retryAfterMs: refusedForMs,
  })
}
