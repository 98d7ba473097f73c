import { syncReason } from '#model/sync-reasons.ts'
import type { Chance } from '#platform/chance.ts'
import { removeItems } from '#store/items/items.ts'
import { markDeliveriesDue } from '#store/push/cursors.ts'
import {
  type EndpointState,
  saveDone,
  saveFailed,
  saveProgress,
  saveWaiting,
  setEndpointLeftOut,
  type Validator,
} from '#store/sync/endpoints.ts'
import { keepFaults, NO_FAULTS } from '#store/sync/reader-faults.ts'
import type { UpstreamError } from '#upstream/errors.ts'
import type { Deletions } from './deletes.ts'
import { chanceOf, type SyncDeps } from './deps.ts'
import type { PageDiff } from './digest.ts'
import { nextInterval, retryAt } from './pace.ts'
import { packSeen } from './seen.ts'
import type { Walk } from './walk.ts'
import { type EndpointRun, writeUnderFence } from './write-page.ts'

/** Where a walk is, and what it has learned. */
export interface Walking {
  walk: Walk
  /** Everything shown so far, where it matters for deletes. */
  seen: Set<string>
  /** What nobody has written yet. */
  rest: PageDiff
}

/** Makes room for others: everything is written, with what the next turn needs to go on as if there had been no pause. */
export async function settlePause(deps: SyncDeps, run: EndpointRun, walking: Walking): Promise<void> {
  const nowMs = deps.clock.now()
  const place = withSeen(walking)
  await writeUnderFence(deps, run, walking.rest, nowMs, 0, (tx, ingested) =>
    saveProgress(tx, run.owner, run.name, {
      ...place,
      dueAt: nowMs,
      watermark: watermarkSoFar(run, walking),
      added: ingested.added - ingested.removed,
      nowMs,
    }),
  )
}

/** With the ids shown so far, so that the next turn can still tell what is gone. */
function withSeen({ walk, seen }: Walking): { walk: Walk; seen: Buffer | undefined } {
  const packed = packSeen(seen)
  return { walk: packed === undefined ? walk : { ...walk, seenPages: walk.pages }, seen: packed }
}

/** Where pages come oldest first, all up to here is known; otherwise only the end of the walk says so. */
function watermarkSoFar({ endpoint }: EndpointRun, { walk }: Walking): string | number | undefined {
  return endpoint.checkpoint?.oldestFirst ? walk.watermark : undefined
}

/** The end of a walk. `gone` is undefined when it could not tell what is missing. */
export async function settleDone(
  deps: SyncDeps,
  run: EndpointRun,
  { walk, rest }: Walking,
  end: { validator: Validator | undefined; deleted: Deletions | undefined; restUntilMs: number | undefined },
): Promise<void> {
  const ids = end.deleted?.ids ?? []
  const nowMs = deps.clock.now()
  await writeUnderFence(deps, run, rest, nowMs, ids.length, async (tx, ingested, lastSeq) => {
    const removed = await removeItems(tx, run.owner, ids, lastSeq - ids.length + 1, nowMs)
    if (removed > 0) await markDeliveriesDue(tx, run.owner, nowMs)
    if (removed > 0 && run.stream.aside.faults) await keepFaults(tx, run.owner, run.name, NO_FAULTS, ids, nowMs)
    const pace = nextInterval(
      run.connector.service,
      run.name,
      run.endpoint,
      run.rules,
      { intervalMs: run.state.intervalMs, hasChanges: walk.hasChanges + removed, nowMs },
      chanceOf(deps),
    )
    await saveDone(tx, run.owner, run.name, {
      watermark: walk.watermark,
      validator: end.validator,
      intervalMs: pace.intervalMs,
      nextRunAt: Math.max(pace.nextRunAt, end.restUntilMs ?? 0),
      suspectDeletes: end.deleted?.suspects,
      confirmed: end.deleted !== undefined && run.state.confirmDeletes,
      added: ingested.added - ingested.removed - removed,
      wasDueAt: run.state.nextRunAt,
      nowMs,
    })
    const left = walk.quota ?? (isReadWhole(run) ? undefined : run.state.leftOut)
    if (left !== run.state.leftOut) await setEndpointLeftOut(tx, run.owner, run.name, left)
  })
  if (end.deleted !== undefined && end.deleted.suspects > 0)
    deps.log.warn('more items vanished than is believable; they are kept until somebody confirms', {
      service: run.connector.service,
      endpoint: run.name,
      profile: run.owner.profileId,
      items: end.deleted.suspects,
    })
}

/** The run began at the beginning, or where the first item was left out. */
function isReadWhole({ endpoint: { checkpoint }, state }: EndpointRun): boolean {
  return state.watermark === undefined || checkpoint === undefined || checkpoint.oldestFirst
}

/** What a failure means for the next run. What was learned before it is kept, and a service that is down is asked for the same page again. */
export async function settleFailure(
  deps: SyncDeps,
  run: EndpointRun,
  walking: Walking,
  error: UpstreamError,
): Promise<void> {
  const nowMs = deps.clock.now()
  const goesOn = error.recovery === 'retry' && walking.walk.pages > 0
  const place = goesOn ? withSeen(walking) : { walk: undefined, seen: undefined }
  const resume = { ...place, nextRunAt: nextTry(run.state, error, nowMs, chanceOf(deps)) }
  await writeUnderFence(deps, run, walking.rest, nowMs, 0, async (tx, ingested) => {
    const watermark = watermarkSoFar(run, walking)
    const added = ingested.added - ingested.removed
    await saveProgress(tx, run.owner, run.name, { ...place, dueAt: 0, watermark, added, nowMs })
    if (error.reason === 'capacity') return saveWaiting(tx, run.owner, run.name, resume)
    const why = { reason: syncReason(error.reason), error: error.message.slice(0, MAX_MESSAGE) }
    return saveFailed(tx, run.owner, run.name, { ...resume, ...why, nowMs })
  })
}

/** Limit: characters of a failure's sentence that are kept for `last_error`; the rest is cut off. */
const MAX_MESSAGE = 500
const DAY_MS = 86_400_000

function nextTry({ walk, fails }: EndpointState, error: UpstreamError, nowMs: number, chance: Chance): number {
  if (error.reason === 'capacity') return nowMs + (error.retryAfterMs ?? 0)
  // A service that no longer knows the place of an old walk gets a new one at once, but only once.
  const isLeaseLost = walk !== undefined && fails === 0 && error.status !== undefined
  if ((error.recovery === 'stop' || error.recovery === 'skip') && isLeaseLost) return nowMs
  return error.recovery === 'skip' ? nowMs + DAY_MS : retryAt(fails, error.retryAfterMs, nowMs, chance)
}
