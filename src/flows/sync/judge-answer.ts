import type { Connector, RateNews } from '#kit/connector.ts'
import { answerFailure } from '#upstream/answer-failure.ts'
import { UpstreamError } from '#upstream/errors.ts'
import { ownServerOf } from '#upstream/own-server.ts'
import { rateNewsOf } from '#upstream/rate-news.ts'
import type { UpstreamAnswer } from '#upstream/send.ts'
import type { SyncNeed } from './need.ts'
import type { Target } from './target.ts'

/** Where a service says nothing of how long to wait. */
const NO_WORD_MS = 60_000

interface Rate {
  of: NonNullable<RateNews['of']>
  resetAtMs: number | undefined
  /** Until when the endpoint that was asked is to be left alone. */
  restUntilMs: number | undefined
}

/** What an answer says of limits. Those of the app and of the person are kept where every process sees them. */
export async function learnRate(need: SyncNeed, target: Target, answer: UpstreamAnswer): Promise<Rate> {
  const news = rateNewsOf(target.connector, answer.headers, need.clock.now())
  const of = news?.of ?? usuallyOf(target.connector)
  const isUsedUp = news?.remaining !== undefined && news.remaining <= 0
  const restUntilMs = isUsedUp ? news.resetAtMs : undefined
  if (restUntilMs !== undefined) await block(need, target, of, restUntilMs)
  return { of, resetAtMs: news?.resetAtMs, restUntilMs: of === 'endpoint' ? restUntilMs : undefined }
}

/** What an answer that brought no page means, in the service's own words where it has some. */
export async function failureOf(
  need: SyncNeed,
  target: Target,
  answer: UpstreamAnswer,
  recovery: UpstreamError['recovery'] | undefined,
  rate: Rate,
): Promise<UpstreamError> {
  const nowMs = need.clock.now()
  const usual = answerFailure(answer, { what: 'sync', nowMs, refused: answer.status === 401 ? 'reauthorize' : 'stop' })
  const isLimit = answer.status === 429 || (recovery === 'retry' && answer.status < 500)
  if (!isLimit)
    return new UpstreamError(recovery ?? usual.recovery, usual.message, {
      reason: usual.reason,
      status: answer.status,
      retryAfterMs: usual.retryAfterMs,
    })
  const untilReset = rate.resetAtMs === undefined ? undefined : Math.max(0, rate.resetAtMs - nowMs)
  const retryAfterMs = usual.retryAfterMs ?? untilReset ?? NO_WORD_MS
  await block(need, target, rate.of, nowMs + retryAfterMs)
  return new UpstreamError('retry', usual.message, {
    reason: rate.of === 'endpoint' ? 'rate_limited_here' : 'rate_limited',
    status: answer.status,
    retryAfterMs,
  })
}

async function block(
  { budget }: SyncNeed,
  { profile, connector, held }: Target,
  of: Rate['of'],
  untilMs: number,
): Promise<void> {
  if (of === 'endpoint') return
  const server = ownServerOf(connector, held.fresh?.credential)
  await budget.block(profile.appId, connector, untilMs, of === 'person' ? profile.id : undefined, server)
}

/** Whose calls a service counts, where its answers do not say. */
function usuallyOf({ api: { limits } }: Connector): Rate['of'] {
  return limits?.person !== undefined && limits.app === undefined ? 'person' : 'app'
}
