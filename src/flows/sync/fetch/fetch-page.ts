import { setTimeout as sleep } from 'node:timers/promises'
import { acquire } from '#access/acquire.ts'
import { type FreshCredential, freshCredential } from '#access/fresh-credential.ts'
import type { LimitedCall } from '#access/learn-limits.ts'
import { costOfEndpoint } from '#kit/connector/call-cost.ts'
import type { PageRequest } from '#kit/endpoints/pages.ts'
import type { UpstreamReason } from '#model/sync/upstream-reasons.ts'
import { hasOwnServers, ownServerOf } from '#upstream/addresses/own-server.ts'
import { callService } from '#upstream/call/call-service.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { chanceOf, type SyncDeps, timesOf } from '../deps.ts'
import type { EndpointRun, ProfileRun } from '../walk/endpoint-run.ts'
import { countersOf } from '../walk/run-log.ts'
import { classifyResponse, type FetchedPage, type Unchanged } from './classify-response.ts'
import { reservePage } from './paid-page.ts'

/** Limit (sync): bytes of one page of a service, compressed and decoded; a larger page fails the sync. */
const MAX_PAGE_BYTES = 5 * 1024 * 1024
/** Limit: longest wait for a call within a run of a sync; for a longer one the endpoint is rescheduled. */
const MAX_WAIT_MS = 2000
/** Limit: attempts for one page of a service; then the sync of the endpoint fails. */
const MAX_ATTEMPTS = 3
/** Shorter than the time before expiry at which tokens are refreshed. */
const CREDENTIAL_TTL_MS = 2000
/**
 * Limit: time within which a page that failed is retried at once; a slower one would occupy a worker, and fails the
 * sync.
 */
const MAX_RETRYING_MS = 10_000

/** Reasons for which a second attempt at once is of no use. */
const WAITS: UpstreamReason[] = ['rate_limited', 'unpaid']
/** A page, with the address that responded. */
export type LocatedPage = FetchedPage & { url: string }

/** Fetches one page within the rate limits, with a valid credential and transient retries. */
export async function fetchPage(
  deps: SyncDeps,
  run: EndpointRun,
  request: PageRequest,
  conditions: Record<string, string>,
  signal: AbortSignal,
): Promise<Unchanged | LocatedPage> {
  const { callMs, transientRetryMs } = timesOf(deps)
  const beganAt = deps.clock.now()
  const cost = costOfEndpoint(run.connector, run.endpoint)
  const counters = countersOf(run, run.name, beganAt)
  let refusedVersion: number | undefined
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted()
    const call = { ...(await limitedCall(deps, run)), cost }
    const askedAt = deps.clock.now()
    await acquire(deps, call, { purpose: 'sync', maxWaitMs: MAX_WAIT_MS, until: { signal } })
    counters.waitedMs += deps.clock.now() - askedAt
    const { credential, version } = await loadCredential(deps, run, refusedVersion)
    const page = await reservePage(deps, run, request)
    try {
      const response = await callService(
        { upstream: deps.upstream, connector: run.connector, key: run.key, credential },
        { ...serviceRequest(page.request, conditions), timeoutMs: callMs, signal },
      )
      const fetched = await classifyResponse(deps, call, response, request.parse)
      await page.settle(fetched)
      counters.pages += 1
      return fetched.unchanged ? fetched : { ...fetched, url: response.url }
    } catch (error) {
      await page.settleFailure(error)
      if (!(error instanceof UpstreamError)) throw error
      if (error.recovery === 'reauthorize' && refusedVersion === undefined && run.connector.auth.kind !== 'none') {
        // Once: the token may just have expired. A second refusal is final.
        refusedVersion = version
        continue
      }
      const isTransient =
        error.recovery === 'retry' && !WAITS.includes(error.reason) && (error.retryAfterMs ?? 0) <= MAX_WAIT_MS
      if (!isTransient || attempt >= MAX_ATTEMPTS || deps.clock.now() - beganAt > MAX_RETRYING_MS) throw error
      counters.retries += 1
      const waitMs = error.retryAfterMs ?? transientRetryMs * 2 ** (attempt - 1) * (0.5 + chanceOf(deps)())
      await sleep(waitMs, undefined, { signal })
    }
  }
}

/** Cached for a moment instead of looked up for every page; looked up at once when the service refuses it. */
export async function loadCredential(
  deps: SyncDeps,
  run: ProfileRun,
  refusedVersion: number | undefined,
): Promise<FreshCredential> {
  const { cachedCredential } = run
  const nowMs = deps.clock.now()
  const { fresh, expiresAt } = cachedCredential
  if (refusedVersion === undefined && fresh !== undefined && nowMs < expiresAt) return fresh
  cachedCredential.fresh = await freshCredential(deps, run, refusedVersion)
  cachedCredential.expiresAt = nowMs + CREDENTIAL_TTL_MS
  return cachedCredential.fresh
}

/** For which limits the call counts. Where people have servers of their own, only the credential names the server. */
export async function limitedCall(deps: SyncDeps, run: ProfileRun): Promise<LimitedCall> {
  const { profile, connector } = run
  if (!hasOwnServers(connector)) return { profile, connector, server: undefined }
  const { credential } = await loadCredential(deps, run, undefined)
  return { profile, connector, server: ownServerOf(connector, credential) }
}

function serviceRequest(request: PageRequest, conditions: Record<string, string>) {
  const isAbsolute = /^https?:/i.test(request.path)
  return {
    method: request.method,
    ...(isAbsolute ? { url: request.path } : { path: request.path }),
    host: request.host,
    query: request.query,
    headers: { ...request.headers, ...conditions },
    body: request.body,
    maxBytes: MAX_PAGE_BYTES,
  }
}
