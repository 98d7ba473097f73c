import {
  type LearnedLimits,
  type LimitedCall,
  type LimitScope,
  learnLimits,
  type ResponseRecovery,
} from '#access/learn-limits.ts'
import { lacksScope } from '#kit/auth/granted.ts'
import type { BodyFormat } from '#kit/endpoints/pages.ts'
import type { LosslessJson } from '#upstream/body/lossless-json.ts'
import { readBody } from '#upstream/body/read-body.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { isMarkup, responseFailure } from '#upstream/request/response-failure.ts'
import type { UpstreamResponse } from '#upstream/request/send.ts'
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
  format: BodyFormat = 'json',
): Promise<Fetched> {
  const { status, headers } = response
  const isOk = status >= 200 && status < 300
  const parsed = status === 304 ? {} : parseBody(response.text, isOk ? format : formatOf(response.text))
  const recovery = status === 304 ? undefined : call.connector.api.recovery?.({ status, body: parsed.body, headers })
  // Before failures are thrown: the headers of an unreadable response may still say that no calls are left.
  const limits = await learnLimits(deps, call, { status, headers, body: parsed.body, recovery })
  if (status === 304) return { unchanged: true }
  if (isOk && parsed.body === undefined)
    throw new UpstreamError(
      'retry',
      `The response of the service is not valid ${format.toUpperCase().replace('_OR_', ' or ')}.`,
      {
        reason: 'answer_unreadable',
        cause: parsed.error,
      },
    )
  if (!isOk || recovery !== undefined) throw failureOf(response, recovery, limits, deps.clock.now())
  const blockedUntilMs = isNarrow(limits.scope) ? limits.pausedUntilMs : undefined
  return { unchanged: false, body: parsed.body!, headers, blockedUntilMs }
}

/** The limit concerns only some endpoints; the others go on. */
function isNarrow(scope: LimitScope): boolean {
  return scope === 'endpoint' || scope === 'group' || scope === 'app_group'
}

function parseBody(text: string, format: BodyFormat): { body?: LosslessJson; error?: unknown } {
  if (text.trim() === '') return { body: null }
  try {
    return { body: readBody(text, format, MAX_PAGE_DEPTH) }
  } catch (error) {
    return { error }
  }
}

/** Errors come in their own format, whatever the endpoint has. */
const formatOf = (text: string): BodyFormat => (isMarkup(text) ? 'xml' : 'json')

function failureOf(
  response: UpstreamResponse,
  recovery: ResponseRecovery,
  { scope, refusedForMs }: LearnedLimits,
  nowMs: number,
): UpstreamError {
  const { status } = response
  const failure = responseFailure(response, { what: 'sync', nowMs, refused: status === 401 ? 'reauthorize' : 'stop' })
  if (recovery === 'not_granted' || (recovery === undefined && lacksScope(response)))
    return new UpstreamError('skip', failure.message, { reason: 'scope_missing', status })
  if (refusedForMs === undefined && recovery !== 'pause_app' && recovery !== 'pause_person')
    return new UpstreamError(recovery ?? failure.recovery, failure.message, {
      reason: recovery === 'restart' ? 'position_lost' : failure.reason,
      status,
      retryAfterMs: failure.retryAfterMs,
    })
  return new UpstreamError('retry', failure.message, {
    reason: isNarrow(scope) ? 'rate_limited_here' : 'rate_limited',
    status,
    retryAfterMs: refusedForMs,
  })
}
