import type { LearnedLimits } from '#access/learn-limits.ts'
import { answerFailure } from '#upstream/answer-failure.ts'
import { type Recovery, UpstreamError } from '#upstream/errors.ts'
import type { UpstreamAnswer } from '#upstream/send.ts'

/** What an answer that brought no page means, in the service's own words where it has some. */
export function failureOf(
  answer: UpstreamAnswer,
  recovery: Recovery | undefined,
  { scope, refusedForMs }: LearnedLimits,
  nowMs: number,
): UpstreamError {
  const { status } = answer
  const usual = answerFailure(answer, { what: 'sync', nowMs, refused: status === 401 ? 'reauthorize' : 'stop' })
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
