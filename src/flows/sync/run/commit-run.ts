import { isFailure } from '#model/sync/sync-reasons.ts'
import type { Chance } from '#platform/chance.ts'
import { removeItems } from '#store/items/items.ts'
import { markDeliveriesDue } from '#store/push/cursors.ts'
import {
  type EndpointState,
  ON_REQUEST,
  postponeEndpoint,
  saveDone,
  saveFailed,
  saveProgress,
  saveRestart,
  saveWaiting,
  setEndpointLeftOut,
  type Validator,
} from '#store/sync/endpoints.ts'
import { keepFaults, NO_FAULTS } from '#store/sync/reader-faults.ts'
import type { UpstreamError } from '#upstream/request/errors.ts'
import { wakeChildren } from '../children/commit-round.ts'
import { commitRefusal, commitVisit } from '../children/commit-visit.ts'
import type { ChildDeletions } from '../children/link-items.ts'
import { isRefusal, isTrial, isWait } from '../children/refusal.ts'
import { commitPage } from '../commit/commit-page.ts'
import { chanceOf, type SyncDeps } from '../deps.ts'
import { isNothing } from '../diff/diff-page.ts'
import type { Deletions } from '../diff/find-deleted.ts'
import { isUploaded } from '../fetch/uploaded-page.ts'
import { nextInterval, retryAt } from '../schedule/interval.ts'
import { countFailure, positionOf } from '../walk/children-round.ts'
import type { EndpointRun } from '../walk/endpoint-run.ts'
import { packSeenIds } from '../walk/seen-ids.ts'
import { startOf, type Walk, type WalkProgress } from '../walk/walk.ts'

/**
 * The end of a slice: writes the rest, and what the next run needs to continue as if there had been no interruption.
 */
export async function commitYielded(deps: SyncDeps, run: EndpointRun, progress: WalkProgress): Promise<void> {
  const nowMs = deps.clock.now()
  const position = withSeenIds(progress)
  await commitPage(deps, run, progress.unwritten, nowMs, 0, (tx, ingested) =>
    saveProgress(tx, run.profileKey, run.name, {
      ...position,
      walk: positionOf(run.visit, position.walk),
      dueAt: nowMs,
      watermark: watermarkSoFar(run, progress),
      added: ingested.added - ingested.removed,
      nowMs,
    }),
  )
}

/** With the ids shown so far, so that the next run can still find deleted items. */
function withSeenIds({ walk, seen }: WalkProgress): { walk: Walk; seen: Buffer | undefined } {
  const packed = packSeenIds(seen)
  return { walk: packed === undefined ? walk : { ...walk, seenPages: walk.pages }, seen: packed }
}

/**
 * Where pages come oldest first, everything up to here is stored; otherwise the watermark advances at the end of the
 * walk.
 */
function watermarkSoFar({ endpoint, visit }: EndpointRun, { walk }: WalkProgress): string | number | undefined {
  // That of a parent is stored when its walk ends.
  return visit === undefined && endpoint.checkpoint?.oldestFirst ? walk.watermark : undefined
}

/** The end of a walk; of that of a parent, where there is one. `deleted` is undefined when the walk does not show which items are missing. */
export async function commitDone(
  deps: SyncDeps,
  run: EndpointRun,
  progress: WalkProgress,
  end: {
    validator: Validator | undefined
    deleted: (Deletions & Partial<ChildDeletions>) | undefined
    blockedUntilMs: number | undefined
  },
): Promise<void> {
  if (run.visit !== undefined) return commitVisit(deps, run, run.visit, progress, end.deleted)
  const { walk, unwritten } = progress
  const { profileKey, name, state } = run
  const ids = end.deleted?.ids ?? []
  const nowMs = deps.clock.now()
  if (isQuiet(run, progress, end.deleted)) {
    run.quiet.push({ endpoint: name, wasDueAt: state.nextRunAt, nowMs, ...doneWith(run, walk, end, 0, nowMs) })
    return
  }
  await commitPage(deps, run, unwritten, nowMs, ids.length, async (tx, ingested, lastSeq) => {
    const removed = await removeItems(tx, profileKey, ids, lastSeq - ids.length + 1, nowMs)
    if (removed > 0) await markDeliveriesDue(tx, profileKey, nowMs)
    if (removed > 0 && run.stream.hasFaults) await keepFaults(tx, profileKey, name, NO_FAULTS, ids, nowMs)
    await saveDone(tx, profileKey, name, {
      ...doneWith(run, walk, end, walk.changes + removed, nowMs),
      suspectDeletes: end.deleted?.suspects,
      confirmed: end.deleted !== undefined && state.confirmDeletes,
      added: ingested.added - ingested.removed - removed,
      wasDueAt: state.nextRunAt,
      nowMs,
    })
    const leftOut = walk.quota ?? (isReadFromStart(run, walk) ? undefined : state.leftOut)
    if (leftOut !== state.leftOut) await setEndpointLeftOut(tx, profileKey, name, leftOut)
    await wakeChildren(deps, tx, run, walk.changes + removed)
  })
  if (end.deleted !== undefined && end.deleted.suspects > 0)
    deps.log.warn('more items are missing than is plausible; they are kept until the deletes are confirmed', {
      service: run.connector.service,
      endpoint: name,
      profile: profileKey.profileId,
      items: end.deleted.suspects,
    })
}

/** What a finished walk stores about its endpoint, whether or not it found changes. */
function doneWith(
  { connector, endpoint, name, rules, spread, state }: EndpointRun,
  walk: Walk,
  { validator, blockedUntilMs }: { validator: Validator | undefined; blockedUntilMs: number | undefined },
  changes: number,
  nowMs: number,
) {
  const run = { intervalMs: state.intervalMs, changes, nowMs }
  const next = nextInterval(connector.service, name, endpoint, rules, run, () => spread)
  return {
    watermark: walk.watermark,
    validator,
    intervalMs: next.intervalMs,
    // Files bring nothing new by themselves.
    nextRunAt: isUploaded({ connector, endpoint }) ? ON_REQUEST : Math.max(next.nextRunAt, blockedUntilMs ?? 0),
    wholeAt: walk.isWhole === true && endpoint.wholeEveryMs !== undefined ? walk.beganAt : undefined,
    pageSize: walk.size,
  }
}

/**
 * Nothing to store but the time of the check and where the next one continues. Most checks are like this; they are stored together
 * when the run ends.
 */
function isQuiet(run: EndpointRun, { walk, unwritten }: WalkProgress, deleted: Deletions | undefined): boolean {
  const { state, profile } = run
  const isUsual =
    profile.state === 'active' &&
    state.firstDoneAt !== undefined &&
    state.walk === undefined &&
    state.lastReason === undefined &&
    state.leftOut === undefined &&
    walk.quota === undefined
  const deletes = deleted === undefined ? 0 : deleted.ids.length + deleted.suspects + state.suspectDeletes
  const isConfirming = deleted !== undefined && state.confirmDeletes
  return isUsual && walk.changes === 0 && deletes === 0 && !isConfirming && isNothing(unwritten)
}

/** The walk began at the start of the listing, or at the first item that a quota refused. */
function isReadFromStart({ endpoint: { checkpoint }, state }: EndpointRun, walk: Walk): boolean {
  return startOf(walk, state) === undefined || checkpoint === undefined || checkpoint.oldestFirst
}

/**
 * The end of a failed walk. What was read before is stored; after a failure of the service the next run fetches the
 * same page again.
 */
export async function commitFailed(
  deps: SyncDeps,
  run: EndpointRun,
  progress: WalkProgress,
  error: UpstreamError,
): Promise<void> {
  const { visit } = run
  if (error.recovery === 'restart' && visit === undefined) return commitRestart(deps, run, progress, error)
  if (visit !== undefined && !isTrial(visit, error) && isRefusal(error, visit))
    return commitRefusal(deps, run, visit, progress, error)
  const nowMs = deps.clock.now()
  const isResumed = error.recovery === 'retry' && progress.walk.pages > 0
  const within = isResumed ? withSeenIds(progress) : { walk: undefined, seen: undefined }
  const failed = visit && (isWait(error.reason) ? visit : { ...visit, round: countFailure(visit) })
  const position = { ...within, walk: positionOf(failed, within.walk) }
  const next = { ...position, nextRunAt: nextAttemptAt(run.state, error, nowMs, chanceOf(deps)) }
  await commitPage(deps, run, progress.unwritten, nowMs, 0, async (tx, ingested) => {
    const watermark = watermarkSoFar(run, progress)
    const added = ingested.added - ingested.removed
    await saveProgress(tx, run.profileKey, run.name, { ...position, dueAt: 0, watermark, added, nowMs })
    // It is tried in another way at once.
    if (visit !== undefined && isRefusal(error, visit)) return
    if (isOwnWait(error)) return saveWaiting(tx, run.profileKey, run.name, next)
    const why = { reason: error.reason, error: error.message.slice(0, MAX_MESSAGE) }
    // The service says what the person did not give, as the list of scopes does elsewhere: nothing failed.
    if (!isFailure(error.reason)) return postponeEndpoint(tx, run.profileKey, run.name, next.nextRunAt, why)
    return saveFailed(tx, run.profileKey, run.name, { ...next, ...why, nowMs })
  })
}

/**
 * The service no longer knows the position: it is forgotten, and a walk from the beginning follows at once. If that one
 * ends in the same way, or there was no position to forget, the endpoint is failing and waits longer each time.
 */
async function commitRestart(
  deps: SyncDeps,
  run: EndpointRun,
  { walk, unwritten }: WalkProgress,
  error: UpstreamError,
): Promise<void> {
  const nowMs = deps.clock.now()
  const { state } = run
  const hasPosition = state.watermark !== undefined || state.walk !== undefined || walk.pages > 0
  const isFirst = state.fails === 0 && hasPosition
  const nextRunAt = isFirst ? nowMs : retryAt(state.fails, error.retryAfterMs, nowMs, chanceOf(deps))
  const why = isFirst ? undefined : { reason: error.reason, error: error.message.slice(0, MAX_MESSAGE) }
  await commitPage(deps, run, unwritten, nowMs, 0, async (tx, ingested) => {
    const added = ingested.added - ingested.removed
    const position = { walk: undefined, seen: undefined, dueAt: 0, watermark: undefined }
    await saveProgress(tx, run.profileKey, run.name, { ...position, added, nowMs })
    await saveRestart(tx, run.profileKey, run.name, { nextRunAt, why, nowMs })
  })
}

/** Limit: characters of a failure's sentence that are stored for `last_error`; the rest is cut off. */
const MAX_MESSAGE = 500
const DAY_MS = 86_400_000

/** Our own rate limiter made no call. */
function isOwnWait({ reason }: UpstreamError): boolean {
  return reason === 'capacity' || reason === 'capacity_here'
}

function nextAttemptAt({ walk, fails }: EndpointState, error: UpstreamError, nowMs: number, chance: Chance): number {
  if (isOwnWait(error)) return nowMs + (error.retryAfterMs ?? 0)
  // The service may no longer know the cursor of a resumed walk: a new walk begins at once, but only once.
  const isCursorLost = walk !== undefined && fails === 0 && error.status !== undefined
  if ((error.recovery === 'stop' || error.recovery === 'skip') && isCursorLost) return nowMs
  return error.recovery === 'skip' ? nowMs + DAY_MS : retryAt(fails, error.retryAfterMs, nowMs, chance)
}
