import type { Chance } from '#base/chance.ts'
import { syncReason } from '#model/sync-reasons.ts'
import { markDeliveriesDue } from '#store/delivery-cursors.ts'
import { removeItems } from '#store/items.ts'
import { keepFaults, NO_FAULTS } from '#store/reader-faults.ts'
import {
  type EndpointState,
  saveDone,
  saveFailed,
  saveProgress,
  saveWaiting,
  setEndpointLeftOut,
  type Validator,
} from '#store/sync-endpoints.ts'
import type { UpstreamError } from '#upstream/errors.ts'
import type { Gone } from './deletes.ts'
import type { Digest } from './digest.ts'
import { chanceOf, type SyncNeed } from './need.ts'
import { nextPace, retryAt } from './pace.ts'
import { packSeen } from './seen.ts'
import type { Walk } from './walk.ts'
import { type EndpointRun, writeUnderFence } from './write-page.ts'

/** Where a walk is, and what it has learned. */
export interface Walking {
  walk: Walk
  /** Everything shown so far, where it matters for deletes. */
  seen: Set<string>
  /** What nobody has written yet. */
  rest: Digest
}

/** Makes room for others: everything is written, with what the next turn needs to go on as if there had been no pause. */
export async function settlePause(need: SyncNeed, run: EndpointRun, walking: Walking): Promise<void> {
  const nowMs = need.clock.now()
  const place = withSeen(walking)
  await writeUnderFence(need, run, walking.rest, nowMs, 0, (tx, absorbed) =>
    saveProgress(tx, run.owner, run.name, {
      ...place,
      dueAt: nowMs,
      mark: markSoFar(run, walking),
      added: absorbed.added - absorbed.removed,
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
function markSoFar({ endpoint }: EndpointRun, { walk }: Walking): string | number | undefined {
  return endpoint.checkpoint?.oldestFirst ? walk.mark : undefined
}

/** The end of a walk. `gone` is undefined when it could not tell what is missing. */
export async function settleDone(
  need: SyncNeed,
  run: EndpointRun,
  { walk, rest }: Walking,
  end: { validator: Validator | undefined; gone: Gone | undefined; restUntilMs: number | undefined },
): Promise<void> {
  const ids = end.gone?.ids ?? []
  const nowMs = need.clock.now()
  await writeUnderFence(need, run, rest, nowMs, ids.length, async (tx, absorbed, lastSeq) => {
    const removed = await removeItems(tx, run.owner, ids, lastSeq - ids.length + 1, nowMs)
    if (removed > 0) await markDeliveriesDue(tx, run.owner, nowMs)
    if (removed > 0 && run.stream.aside.faults) await keepFaults(tx, run.owner, run.name, NO_FAULTS, ids, nowMs)
    const pace = nextPace(
      run.connector.service,
      run.name,
      run.endpoint,
      run.rules,
      { intervalMs: run.state.intervalMs, news: walk.news + removed, nowMs },
      chanceOf(need),
    )
    await saveDone(tx, run.owner, run.name, {
      mark: walk.mark,
      validator: end.validator,
      intervalMs: pace.intervalMs,
      nextRunAt: Math.max(pace.nextRunAt, end.restUntilMs ?? 0),
      suspectDeletes: end.gone?.suspects,
      confirmed: end.gone !== undefined && run.state.confirmDeletes,
      added: absorbed.added - absorbed.removed - removed,
      wasDueAt: run.state.nextRunAt,
      nowMs,
    })
    const left = walk.quota ?? (isReadWhole(run) ? undefined : run.state.leftOut)
    if (left !== run.state.leftOut) await setEndpointLeftOut(tx, run.owner, run.name, left)
  })
  if (end.gone !== undefined && end.gone.suspects > 0)
    need.log.warn('more items vanished than is believable; they are kept until somebody confirms', {
      service: run.connector.service,
      endpoint: run.name,
      profile: run.owner.profileId,
      items: end.gone.suspects,
    })
}

/** The run began at the beginning, or where the first item was left out. */
function isReadWhole({ endpoint: { checkpoint }, state }: EndpointRun): boolean {
  return state.mark === undefined || checkpoint === undefined || checkpoint.oldestFirst
}

/** What a failure means for the next run. What was learned before it is kept, and a service that is down is asked for the same page again. */
export async function settleFailure(
  need: SyncNeed,
  run: EndpointRun,
  walking: Walking,
  error: UpstreamError,
): Promise<void> {
  const nowMs = need.clock.now()
  const goesOn = error.recovery === 'retry' && walking.walk.pages > 0
  const place = goesOn ? withSeen(walking) : { walk: undefined, seen: undefined }
  const resume = { ...place, nextRunAt: nextTry(run.state, error, nowMs, chanceOf(need)) }
  await writeUnderFence(need, run, walking.rest, nowMs, 0, async (tx, absorbed) => {
    const mark = markSoFar(run, walking)
    const added = absorbed.added - absorbed.removed
    await saveProgress(tx, run.owner, run.name, { ...place, dueAt: 0, mark, added, nowMs })
    if (error.reason === 'budget') return saveWaiting(tx, run.owner, run.name, resume)
    const why = { reason: syncReason(error.reason), error: error.message.slice(0, MAX_MESSAGE) }
    return saveFailed(tx, run.owner, run.name, { ...resume, ...why, nowMs })
  })
}

/** Limit: characters of a failure's sentence that are kept for `last_error`; the rest is cut off. */
const MAX_MESSAGE = 500
const DAY_MS = 86_400_000

function nextTry({ walk, fails }: EndpointState, error: UpstreamError, nowMs: number, chance: Chance): number {
  if (error.reason === 'budget') return nowMs + (error.retryAfterMs ?? 0)
  // A service that no longer knows the place of an old walk gets a new one at once, but only once.
  const isPlaceLost = walk !== undefined && fails === 0 && error.status !== undefined
  if ((error.recovery === 'stop' || error.recovery === 'skip') && isPlaceLost) return nowMs
  return error.recovery === 'skip' ? nowMs + DAY_MS : retryAt(fails, error.retryAfterMs, nowMs, chance)
}
