// Learns rate limits from responses of services and shares them with all processes.

import type { CallCost } from '#kit/connector/call-cost.ts'
import type { Api, Connector, RateLimitInfo } from '#kit/connector/connector.ts'
import type { CalledProfile } from '#model/accounts/profile.ts'
import type { Clock } from '#platform/clock.ts'
import { retryAfterMs } from '#platform/formats/retry-after.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { readRateHeaders } from './rate-headers.ts'
import type { RateLimiter } from './rate-limiter.ts'

/** What a connector says about a response (`api.recovery`). */
export type ResponseRecovery = ReturnType<NonNullable<Api['recovery']>>

export interface LimitedResponse {
  status: number
  headers: Record<string, string>
  /** If it was parsed. */
  body?: unknown
  /** What the connector read of the limits in headers and body, where that was done elsewhere (`api.rate`). */
  stated?: RateLimitInfo | undefined
  /** The connector's classification of the response (`api.recovery`); undefined if it has none. */
  recovery: ResponseRecovery
}

export type LimitScope = NonNullable<RateLimitInfo['of']>

/** What one response says about the service's limits. */
export interface LearnedLimits {
  /** Which calls the service counts together: those of the app, of one person, of one person at one endpoint or group, or all. */
  scope: LimitScope
  /** The required wait, if the service refused this call because of a rate limit. */
  refusedForMs: number | undefined
  /** Until when no call in the scope may be made; undefined while calls are left. */
  pausedUntilMs: number | undefined
}

/** Wait after a refusal that does not state one. */
const DEFAULT_WAIT_MS = 60_000
/**
 * Limit: how long all calls of an app pause because of the time of a reset that a response states, where the connector declares no
 * longer window; a later reset is shortened to this. A stated wait (`Retry-After`) counts for up to a day.
 */
const MAX_UNDECLARED_RESET_MS = 3_600_000

/** Reads the limits in a response. A reader of the connector that throws is reported and has read nothing. */
export function readLimits(
  connector: Pick<Connector, 'api'>,
  response: LimitedResponse,
  nowMs: number,
  onReaderError: (error: unknown) => void,
): LearnedLimits {
  const info = readRateHeaders(connector, response, nowMs, onReaderError)
  const stated = info?.of ?? defaultScope(connector)
  const refused = refusedScope(response, stated)
  const isWide = stated === 'app' || stated === 'service'
  const longestResetMs = isWide ? longestWindowMs(connector, stated) : Number.POSITIVE_INFINITY
  const untilReset =
    info?.resetAtMs === undefined ? undefined : Math.min(longestResetMs, Math.max(0, info.resetAtMs - nowMs))
  const usedUpForMs = info?.remaining !== undefined && info.remaining <= 0 ? (untilReset ?? 0) : 0
  // The time of a reset belongs to the scope that the headers state.
  const refusedForMs =
    refused === undefined
      ? undefined
      : (retryAfterMs(response.headers, nowMs) ?? (refused === stated ? untilReset : undefined) ?? DEFAULT_WAIT_MS)
  // With two scopes the wider one counts, which includes the other.
  const scope = refused === undefined || (isWide && usedUpForMs > 0) ? stated : refused
  const pauseMs = Math.max(scope === stated ? usedUpForMs : 0, refusedForMs ?? 0)
  return { scope, refusedForMs, pausedUntilMs: pauseMs > 0 ? nowMs + pauseMs : undefined }
}

export interface LimitedCall {
  profile: CalledProfile
  connector: Connector
  /** The person's own server, where the service has many. */
  server: string | undefined
  /** What the call counts as; absent: one read. */
  cost?: CallCost | undefined
}

/**
 * Stores the limits in a response for all processes, sync and proxy alike. A limit of one endpoint is not stored: it
 * does not apply to other endpoints, and the caller knows which one it called.
 */
export async function learnLimits(
  { rateLimiter, clock, log }: { rateLimiter: RateLimiter; clock: Clock; log: Log },
  { profile, connector, server, cost }: LimitedCall,
  response: LimitedResponse,
): Promise<LearnedLimits> {
  const learned = readLimits(connector, response, clock.now(), (error) => {
    // The response may be good, so the error must not fail the call.
    log.warn('a connector could not read the rate limit headers of a response', { service: connector.service, error })
  })
  const { scope, pausedUntilMs } = learned
  if (pausedUntilMs !== undefined && scope !== 'endpoint')
    await rateLimiter.block(
      profile.appId,
      connector,
      pausedUntilMs,
      scope === 'person' || scope === 'group' ? profile.id : undefined,
      server,
      scope === 'service'
        ? 'everybody'
        : (scope === 'group' || scope === 'app_group') && cost?.group !== undefined
          ? { group: cost.group }
          : undefined,
    )
  return learned
}

/** The scope of the limit because of which the service refused the call; undefined if it did not. */
function refusedScope({ status, recovery }: LimitedResponse, stated: LimitScope): LimitScope | undefined {
  if (recovery === 'pause_app') return 'app'
  if (recovery === 'pause_person') return 'person'
  // Some services use another status than 429 for rate limits, which only the connector recognises.
  return status === 429 || (recovery === 'retry' && status < 500) ? stated : undefined
}

/** How far ahead a reset may be: no window of the service is longer. */
function longestWindowMs({ api: { limits } }: Pick<Connector, 'api'>, scope: 'app' | 'service'): number {
  const declared = [limits?.[scope] ?? []].flat().map(({ perS }) => perS * 1000)
  return Math.max(MAX_UNDECLARED_RESET_MS, ...declared)
}

/** The scope of limits where the response does not state it. */
function defaultScope({ api: { limits } }: Pick<Connector, 'api'>): LimitScope {
  if (limits === undefined || limits.app !== undefined) return 'app'
  if (limits.person !== undefined) return 'person'
  return limits.service === undefined ? 'app' : 'service'
}
