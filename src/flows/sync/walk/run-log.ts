import type { Profile } from '#model/accounts/profile.ts'
import type { OperationStep, StepDetail } from '#model/operation.ts'
import { isFailure, type SyncReason } from '#model/sync/sync-reasons.ts'
import type { Clock } from '#platform/clock.ts'
import { redactText } from '#platform/telemetry/redact.ts'
import type { OperationLog } from '#store/log/operation-log.ts'
import { newOperationId } from '#store/log/operations.ts'
import type { Taken } from '#store/sync/schedule.ts'
import { UpstreamError } from '#upstream/request/errors.ts'

/** What a run did at one endpoint. */
export interface EndpointCounters {
  at: number
  endedAt: number
  /** The endpoint had never been read to its end before. */
  isFirst: boolean
  pages: number
  added: number
  changed: number
  deleted: number
  quarantined: number
  faults: number
  retries: number
  /** Time that the rate limiter made it wait. */
  waitedMs: number
  failure: { reason: SyncReason; message: string; status: number | undefined } | undefined
}

/** What one run of a profile did. Most runs find nothing and are not logged, so keeping it costs next to nothing. */
export interface RunLog {
  beganAt: number
  profile: Profile | undefined
  endpoints: Map<string, EndpointCounters>
}

export function openRunLog(beganAt: number): RunLog {
  return { beganAt, profile: undefined, endpoints: new Map() }
}

export function countersOf(
  { runLog: { endpoints } }: { runLog: RunLog },
  name: string,
  nowMs: number,
): EndpointCounters {
  const known = endpoints.get(name)
  if (known !== undefined) return known
  const counts = { pages: 0, added: 0, changed: 0, deleted: 0, quarantined: 0, faults: 0, retries: 0, waitedMs: 0 }
  const counters: EndpointCounters = { at: nowMs, endedAt: nowMs, isFirst: false, ...counts, failure: undefined }
  endpoints.set(name, counters)
  return counters
}

export function noteFailure(counters: EndpointCounters, { reason, message, status }: UpstreamError): void {
  counters.failure = { reason, message, status }
}

export interface RunLogDeps {
  clock: Clock
  operations?: OperationLog | undefined
}

/** Logs a run that changed something, failed, was requested, or belongs to the first sync. */
export function logRun({ clock, operations }: RunLogDeps, run: RunLog, taken: Taken, error?: unknown): void {
  const { profile, endpoints, beganAt } = run
  if (operations === undefined || profile === undefined) return
  if (endpoints.size === 0 && error === undefined) return
  const isRequested = taken.requestedAt !== undefined
  const failed = [...endpoints.values()].find(({ failure }) => failure !== undefined && !isHarmless(failure.reason))
  const isFirst = [...endpoints.values()].some((each) => each.isFirst)
  // A first sync that only waits for a rate limit would be logged every few seconds, for as long as the service likes.
  const isNews = [...endpoints.values()].some((each) => each.isFirst && each.failure === undefined)
  if (error === undefined && failed === undefined && !isRequested && !isNews && !hasChanged(endpoints)) return
  const endedAt = clock.now()
  const reason = error === undefined ? failed?.failure?.reason : reasonOf(error)
  operations.add({
    shard: taken.shard,
    id: newOperationId(taken.shard, endedAt),
    appId: taken.appId,
    kind: 'sync',
    service: taken.service,
    accountId: profile.accountId,
    profileId: profile.id,
    at: beganAt,
    endedAt,
    outcome: reason === undefined ? 'ok' : 'failed',
    reason,
    expiresAt: undefined,
    requestId: undefined,
    summary: summaryOf(endpoints, { isFirst, isRequested, failed }),
    steps: stepsOf(endpoints),
  })
}

/** Our own rate limiter postponed it, or the person did not grant it: nothing failed. */
function isHarmless(reason: SyncReason): boolean {
  return reason === 'capacity' || reason === 'capacity_here' || !isFailure(reason)
}

function hasChanged(endpoints: RunLog['endpoints']): boolean {
  for (const { added, changed, deleted, quarantined } of endpoints.values())
    if (added + changed + deleted + quarantined > 0) return true
  return false
}

function reasonOf(error: unknown): string {
  return error instanceof UpstreamError ? error.reason : 'internal'
}

function summaryOf(
  endpoints: RunLog['endpoints'],
  { isFirst, isRequested, failed }: { isFirst: boolean; isRequested: boolean; failed: EndpointCounters | undefined },
): string {
  const sums = { added: 0, changed: 0, deleted: 0 }
  for (const { added, changed, deleted } of endpoints.values()) {
    sums.added += added
    sums.changed += changed
    sums.deleted += deleted
  }
  const what = isFirst ? 'First sync: ' : isRequested ? 'Requested sync: ' : ''
  const counts = `${sums.added} new, ${sums.changed} changed, ${sums.deleted} deleted`
  const why = failed?.failure === undefined ? '' : `. ${loggedText(failed.failure.message)}`
  return `${what}${counts}${why}`
}

/** Limit: endpoints of one run that the log shows; further ones are not shown. */
const MAX_LOGGED_ENDPOINTS = 60
/** Limit: characters of a service's failure in the log; the rest is cut off. */
const MAX_LOGGED_FAILURE = 300

function loggedText(text: string): string {
  return redactText(text).slice(0, MAX_LOGGED_FAILURE)
}

function stepsOf(endpoints: RunLog['endpoints']): OperationStep[] {
  return [...endpoints].slice(0, MAX_LOGGED_ENDPOINTS).map(([name, counters]) => {
    const { at, endedAt, failure } = counters
    const outcome = failure === undefined || isHarmless(failure.reason) ? 'ok' : 'failed'
    return { name, at, ms: endedAt - at, outcome, detail: detailOf(counters), steps: [] }
  })
}

function detailOf({
  at: _at,
  endedAt: _ended,
  isFirst: _first,
  failure,
  waitedMs,
  ...counts
}: EndpointCounters): StepDetail {
  const { pages, added, changed, deleted, ...rare } = counts
  const present = Object.entries({ ...rare, waited_ms: waitedMs }).filter(([, count]) => count > 0)
  return {
    pages,
    new: added,
    changed,
    deleted,
    ...Object.fromEntries(present),
    ...(failure === undefined ? {} : { reason: failure.reason, error: loggedText(failure.message) }),
    ...(failure?.status === undefined ? {} : { status: failure.status }),
  }
}
