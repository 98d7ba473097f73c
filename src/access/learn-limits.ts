import type { Connector, RateLimitInfo } from '#kit/connector.ts'
import type { Profile } from '#model/profile.ts'
import type { Clock } from '#platform/clock.ts'
import { retryAfterMs } from '#platform/retry-after.ts'
import type { Recovery } from '#upstream/errors.ts'
import { readRateHeaders } from './rate-headers.ts'
import type { RateLimiter } from './rate-limiter.ts'

export interface LimitedResponse {
  status: number
  headers: Record<string, string>
  /** What the connector makes of the response (`api.recovery`); undefined where it has nothing to say. */
  recovery: Recovery | undefined
}

export type LimitScope = NonNullable<RateLimitInfo['of']>

/** What one response says of the service's limits. */
export interface LearnedLimits {
  /** Whose calls the service counts: all of the app's, one person's, or one person's at one endpoint. */
  scope: LimitScope
  /** The service refused this call because there were too many: how long it wants us to wait. */
  refusedForMs: number | undefined
  /** Until when nobody in the scope may call; undefined while there are calls left. */
  pausedUntilMs: number | undefined
}

/** Wait after a refusal that names no time. */
const DEFAULT_WAIT_MS = 60_000

/** Pure: the same response means the same, whoever made the call. */
export function readLimits(connector: Pick<Connector, 'api'>, response: LimitedResponse, nowMs: number): LearnedLimits {
  const told = readRateHeaders(connector, response.headers, nowMs)
  const scope = told?.of ?? usualScope(connector)
  const isUsedUp = told?.remaining !== undefined && told.remaining <= 0
  const untilReset = told?.resetAtMs === undefined ? undefined : Math.max(0, told.resetAtMs - nowMs)
  const refusedForMs = isRefusal(response)
    ? (retryAfterMs(response.headers, nowMs) ?? untilReset ?? DEFAULT_WAIT_MS)
    : undefined
  const pauseMs = Math.max((isUsedUp ? untilReset : undefined) ?? 0, refusedForMs ?? 0)
  return { scope, refusedForMs, pausedUntilMs: pauseMs > 0 ? nowMs + pauseMs : undefined }
}

export interface LimitedCall {
  profile: Profile
  connector: Connector
  /** The person's own server, where the service has many. */
  server: string | undefined
}

/**
 * Stores what a response says of limits where every process sees it, sync and proxy alike. A limit of one endpoint is not stored:
 * it says nothing of the other endpoints, and the caller knows which one it called.
 */
export async function learnLimits(
  { rateLimiter, clock }: { rateLimiter: RateLimiter; clock: Clock },
  { profile, connector, server }: LimitedCall,
  response: LimitedResponse,
): Promise<LearnedLimits> {
  const learned = readLimits(connector, response, clock.now())
  const { scope, pausedUntilMs } = learned
  if (pausedUntilMs !== undefined && scope !== 'endpoint')
    await rateLimiter.block(
      profile.appId,
      connector,
      pausedUntilMs,
      scope === 'person' ? profile.id : undefined,
      server,
    )
  return learned
}

// Some services say “slow down” with another status than 429, which only the connector can tell.
function isRefusal({ status, recovery }: LimitedResponse): boolean {
  return status === 429 || (recovery === 'retry' && status < 500)
}

/** Whose calls a service counts, where its responses do not say. */
function usualScope({ api: { limits } }: Pick<Connector, 'api'>): LimitScope {
  return limits?.person !== undefined && limits.app === undefined ? 'person' : 'app'
}
