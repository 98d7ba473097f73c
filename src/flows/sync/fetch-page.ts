import { setTimeout as sleep } from 'node:timers/promises'
import { acquire } from '#access/acquire.ts'
import { type FreshCredential, freshCredential } from '#access/fresh-credential.ts'
import { type LimitedCall, learnLimits } from '#access/learn-limits.ts'
import type { PageRequest } from '#kit/pages.ts'
import { systemChance } from '#platform/chance.ts'
import { type LosslessJson, parseLossless } from '#upstream/body/lossless-json.ts'
import { callService } from '#upstream/call-service.ts'
import { UpstreamError } from '#upstream/errors.ts'
import { hasOwnServers, ownServerOf } from '#upstream/own-server.ts'
import type { UpstreamResponse } from '#upstream/send.ts'
import { type SyncDeps, timesOf } from './deps.ts'
import { failureOf } from './judge-answer.ts'
import type { Target } from './target.ts'

export type Fetched = { unchanged: true } | FetchedPage

export interface FetchedPage {
  unchanged: false
  body: LosslessJson
  headers: Record<string, string>
  /** Until when the service wants no more calls of this person to this endpoint. */
  restUntilMs: number | undefined
}

/** Limit: bytes of one page of a service, compressed and decoded; a larger page fails the sync. */
const MAX_PAGE_BYTES = 5 * 1024 * 1024
/**
 * Limit: nesting of a whole page: deeper than an item may be, for one bad record must not hide the others. A deeper
 * page fails the sync.
 */
const MAX_PAGE_DEPTH = 1000
/** Waiting inside a turn; anything longer goes back to the schedule. */
const SHORT_WAIT_MS = 2000
const TRIES = 3
/** Shorter than the head start with which tokens are renewed. */
const HELD_MS = 2000
/** A page that took so long to fail is not tried again at once: it holds a worker. */
const QUICK_MS = 10_000

/** One page: within the budget, with a credential that works, tried again when the network hiccups. */
export async function fetchPage(
  deps: SyncDeps,
  target: Target,
  request: PageRequest,
  conditions: Record<string, string>,
  signal: AbortSignal,
): Promise<Fetched> {
  const { callMs, transientRetryMs } = timesOf(deps)
  const beganAt = deps.clock.now()
  let refused: number | undefined
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted()
    const caller = await callerOf(deps, target)
    await acquire(deps, caller, { purpose: 'sync', maxWaitMs: SHORT_WAIT_MS, until: { signal } })
    const fresh = await credentialFor(deps, target, refused)
    try {
      const response = await callService(
        { upstream: deps.upstream, connector: target.connector, key: target.key, credential: fresh.credential },
        { ...callOf(request, conditions), timeoutMs: callMs, signal },
      )
      return await judge(deps, caller, response)
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      if (error.recovery === 'reauthorize' && refused === undefined) {
        // Once: the token may just have ended. A second refusal is the service's last word.
        refused = fresh.version
        continue
      }
      const soon =
        error.recovery === 'retry' && error.reason !== 'rate_limited' && (error.retryAfterMs ?? 0) <= SHORT_WAIT_MS
      if (!soon || attempt >= TRIES || deps.clock.now() - beganAt > QUICK_MS) throw error
      const waitMs = error.retryAfterMs ?? transientRetryMs * 2 ** (attempt - 1) * (0.5 + systemChance())
      await sleep(waitMs, undefined, { signal })
    }
  }
}

/** Looked up now and then, not for every page; but at once when the service refuses the one in hand. */
async function credentialFor(deps: SyncDeps, target: Target, refused: number | undefined): Promise<FreshCredential> {
  const { held } = target
  const nowMs = deps.clock.now()
  if (refused === undefined && held.fresh !== undefined && nowMs < held.untilMs) return held.fresh
  held.fresh = await freshCredential(deps, target, refused)
  held.untilMs = nowMs + HELD_MS
  return held.fresh
}

/** Who calls. Only the credential says which server is the person's. */
async function callerOf(deps: SyncDeps, target: Target): Promise<LimitedCall> {
  const { profile, connector } = target
  if (!hasOwnServers(connector)) return { profile, connector, server: undefined }
  const { credential } = await credentialFor(deps, target, undefined)
  return { profile, connector, server: ownServerOf(connector, credential) }
}

function callOf(request: PageRequest, conditions: Record<string, string>) {
  const whole = /^https?:/i.test(request.path)
  return {
    method: request.method,
    ...(whole ? { url: request.path } : { path: request.path }),
    query: request.query,
    headers: { ...request.headers, ...conditions },
    body: request.body,
    maxBytes: MAX_PAGE_BYTES,
  }
}

async function judge(deps: SyncDeps, caller: LimitedCall, response: UpstreamResponse): Promise<Fetched> {
  const { status, headers } = response
  const parsed = status === 304 ? {} : parseBody(response.text)
  const recovery = status === 304 ? undefined : caller.connector.api.recovery?.({ status, body: parsed.body, headers })
  // Also what cannot be read counts: its headers may say that no calls are left.
  const limits = await learnLimits(deps, caller, { status, headers, recovery })
  if (status === 304) return { unchanged: true }
  const ok = status >= 200 && status < 300
  if (ok && parsed.body === undefined)
    throw new UpstreamError('retry', 'The service answered something that is no JSON.', {
      reason: 'answer_unreadable',
      cause: parsed.error,
    })
  if (!ok || recovery !== undefined) throw failureOf(response, recovery, limits, deps.clock.now())
  const restUntilMs = limits.scope === 'endpoint' ? limits.pausedUntilMs : undefined
  return { unchanged: false, body: parsed.body!, headers, restUntilMs }
}

function parseBody(text: string): { body?: LosslessJson; error?: unknown } {
  if (text.trim() === '') return { body: null }
  try {
    return { body: parseLossless(text, MAX_PAGE_DEPTH) }
  } catch (error) {
    return { error }
  }
}
