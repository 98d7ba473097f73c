import type { Children } from '#kit/endpoints/children.ts'
import type { QuotaName } from '#model/apps/quotas.ts'
import type { UpstreamReason } from '#model/sync/upstream-reasons.ts'
import type { StoredParent } from '#store/sync/child-checkpoints.ts'
import type { EndpointState } from '#store/sync/endpoints.ts'
import type { Walk } from './walk.ts'

/**
 * The position of a child endpoint: one round visits parents in the order in which they changed, and walks over the
 * pages of each. Stored with the items, so that the next run continues there after a crash.
 */
export interface Round {
  /** Pages of all walks so far. */
  pages: number
  /** Parents that are done, and how many there were when the round began. */
  parents: number
  of: number
  changes: number
  beganAt: number
  /** Everything is read anew: what is known of the parents does not count. */
  isFromStart: boolean
  /** All parents are visited, not only those that changed. */
  isAll: boolean
  /** Parents up to this `seq` are done. */
  afterSeq: number
  /** Parents whose children were read, and those that the service refused in all and in a row. */
  visited: number
  refused: number
  refusedInRow: number
  lastRefusal?: { reason: UpstreamReason; error: string }
  /** Items deleted so far, and those that are missing but kept. */
  deleted: number
  suspects: number
  quota?: QuotaName | undefined
  /** Parents in a row of which nothing but items that a quota refused was new. */
  fullInRow: number
  /** The parent at which runs of this round failed last, and how often in a row. */
  failedAt?: { parent: string; times: number } | undefined
  /** The walk that is not finished: item ids of its parents, and its position. */
  current?: { parents: string[]; isRetry: boolean; walk: Walk } | undefined
}

/** A parent with its record. */
export interface Parent extends StoredParent {
  record: unknown
  version: string | undefined
}

/** A visit of one parent, or of those of a batch, within a round. */
export interface Visit {
  round: Round
  parents: Parent[]
  /** Its children were refused or not complete before: the order of the round does not apply to it. */
  isRetry: boolean
  /** If the service refuses it, it is tried in another way before that is noted. */
  isTrial: boolean
  /** Its walk continues from a checkpoint, which a restart forgets. */
  hasCheckpoint: boolean
}

/** What is kept between two rounds: the newest change that the last one knew, and when all parents were visited. */
interface RoundWatermark {
  seq: number
  allAt: number
}

export function beginRound(children: Children, state: EndpointState, parents: number, nowMs: number): Round {
  if (state.walk !== undefined) return state.walk as Round
  const before = parseWatermark(state.watermark)
  // Suspected and confirmed deletes need a look at all parents.
  const isAll =
    before === undefined ||
    children.when === 'always' ||
    state.suspectDeletes > 0 ||
    state.confirmDeletes ||
    (children.allEveryMs !== undefined && nowMs - before.allAt >= children.allEveryMs)
  return {
    pages: 0,
    parents: 0,
    of: parents,
    changes: 0,
    beganAt: nowMs,
    isFromStart: before === undefined,
    isAll,
    afterSeq: isAll ? 0 : before.seq,
    visited: 0,
    refused: 0,
    refusedInRow: 0,
    deleted: 0,
    suspects: 0,
    fullInRow: 0,
  }
}

/** The watermark of the endpoint after a round. */
export function watermarkAfter(round: Round, state: EndpointState): string {
  const allAt = round.isAll ? round.beganAt : (parseWatermark(state.watermark)?.allAt ?? 0)
  return `${round.afterSeq}@${allAt}`
}

function parseWatermark(watermark: string | number | undefined): RoundWatermark | undefined {
  const [seq, allAt] = String(watermark ?? '')
    .split('@')
    .map(Number)
  return watermark !== undefined && Number.isSafeInteger(seq) && Number.isSafeInteger(allAt)
    ? { seq: seq!, allAt: allAt! }
    : undefined
}

/** What a run stores as its position: that of the walk, within that of the round where there is one. */
export function positionOf(visit: Visit | undefined, walk: Walk): Walk | Round
export function positionOf(visit: Visit | undefined, walk: Walk | undefined): Walk | Round | undefined
export function positionOf(visit: Visit | undefined, walk: Walk | undefined): Walk | Round | undefined {
  if (visit === undefined) return walk
  const { round, parents, isRetry } = visit
  if (walk === undefined || walk.pages === 0) return { ...round, current: undefined }
  const current = { parents: parents.map(({ id }) => id), isRetry, walk }
  return { ...round, pages: round.pages + walk.pages, current }
}

/** The round after a visit whose children were read or refused. */
export function afterVisit({ round, parents, isRetry }: Visit, changed: Partial<Round>): Round {
  const seq = Math.max(...parents.map((parent) => parent.seq))
  return {
    ...round,
    ...changed,
    parents: round.parents + parents.length,
    afterSeq: isRetry ? round.afterSeq : Math.max(round.afterSeq, seq),
    failedAt: undefined,
    current: undefined,
  }
}

/** Notes that a run failed at this visit, in the position that the next run continues from. */
export function countFailure({ round, parents }: Visit): Round {
  const parent = parents[0]?.id ?? ''
  const times = round.failedAt?.parent === parent ? round.failedAt.times + 1 : 1
  return { ...round, failedAt: { parent, times } }
}
