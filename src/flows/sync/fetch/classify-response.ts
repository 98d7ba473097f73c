import { type LearnedLimits, type LimitedCall, learnLimits, type ResponseRecovery } from '#access/learn-limits.ts'
import { type LosslessJson, parseLossless } from '#upstream/body/lossless-json.ts'
import { UpstreamError } from '#upstream/errors.ts'
import { responseFailure } from '#upstream/response-failure.ts'
import type { UpstreamResponse } from '#upstream/send.ts'
import type { SyncDeps } from '../deps.ts'

export interface Unchanged {
  unchanged: true
}

export type Fetched = Unchanged | FetchedPage

export interface FetchedPage {
  unchanged: false
  body: LosslessJson
  headers: Record<string, string>
  /** Until when the service allows no more calls of this person to this endpoint. */
  blockedUntilMs: number | undefined
}

/**
 * Limit: nesting of a whole page: deeper than an item may be, so that one bad record does not hide the others. A deeper
 * page fails the sync.
 */
const MAX_PAGE_DEPTH = 1000

/**
 * Decides what a response means: unchanged, a page, or a failure, which is thrown. Records the limits that it states.
 */
export async function classifyResponse(
  deps: Pick<SyncDeps, 'rateLimiter' | 'clock' | 'log'>,
  call: LimitedCall,
  response: UpstreamResponse,
): Promise<Fetched> {
  const { status, headers } = response
  const parsed = status === 304 ? {} : parseBody(response.text)
  const recovery = status === 304 ? undefined : call.connector.api.recovery?.({ status, body: parsed.body, headers })
  // Before failures are thrown: the headers of an unreadable response may still say that no calls are left.
  const limits = await learnLimits(deps, call, { status, headers, recovery })
  if (status === 304) return { unchanged: true }
  const isOk = status >= 200 && status < 300
  if (isOk && parsed.body === undefined)
    throw new UpstreamError('retry', 'The response of the service is not valid JSON.', {
      reason: 'answer_unreadable',
      cause: parsed.error,
    })
  if (!isOk || recovery !== undefined) throw failureOf(response, recovery, limits, deps.clock.now())
  const blockedUntilMs = limits.scope === 'endpoint' ? limits.pausedUntilMs : undefined
  return { unchanged: false, body: parsed.body!, headers, blockedUntilMs }
}

function parseBody(text: string): { body?: LosslessJson; error?: unknown } {
  if (text.trim() === '') return { body: null }
  try {
    return { body: parseLossless(text, MAX_PAGE_DEPTH) }
  } catch (error) {
    return { error }
  }
}

function failureOf(
  response: UpstreamResponse,
  recovery: ResponseRecovery,
  { scope, refusedForMs }: LearnedLimits,
  nowMs: number,
): UpstreamError {
  const { status } = response
  const failure = responseFailure(response, { what: 'sync', nowMs, refused: status === 401 ? 'reauthorize' : 'stop' })
  if (refusedForMs === undefined && recovery !== 'pause_app' && recovery !== 'pause_person')
    return new UpstreamError(recovery ?? failure.recovery, failure.message, {
      reason: failure.reason,
      status,
      retryAfterMs: failure.retryAfterMs,
    })
  return new UpstreamError('retry', failure.message, {
    reason: scope === 'endpoint' ? 'rate_limited_here' : 'rate_limited',
    status,
    retryAfterMs: refusedForMs,
  })
}
