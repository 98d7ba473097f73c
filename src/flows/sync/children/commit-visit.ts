import type { Queries } from '#platform/postgres/database.ts'
import { removeChildItems } from '#store/items/child-items.ts'
import { removeItems } from '#store/items/items.ts'
import { markDeliveriesDue } from '#store/push/cursors.ts'
import { saveRefusal, saveVisit } from '#store/sync/child-checkpoints.ts'
import { saveProgress } from '#store/sync/endpoints.ts'
import { keepFaults, NO_FAULTS } from '#store/sync/reader-faults.ts'
import type { UpstreamError } from '#upstream/request/errors.ts'
import { commitPage } from '../commit/commit-page.ts'
import type { SyncDeps } from '../deps.ts'
import { emptyDiff } from '../diff/diff-page.ts'
import type { Deletions } from '../diff/find-deleted.ts'
import { afterVisit, type Round, type Visit } from '../walk/children-round.ts'
import type { EndpointRun } from '../walk/endpoint-run.ts'
import type { WalkProgress } from '../walk/walk.ts'
import type { ChildDeletions } from './link-items.ts'

/** Limit: characters of a watermark that is stored for one parent; of a longer one, the parent is read from its start. */
const MAX_WATERMARK = 8192
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The name under which a refused parent is listed among the faults of the endpoint. */
const FAULT_FIELD = 'children'

/**
 * The end of the walk of one parent, or of a batch: what it showed, what is missing, its checkpoint, and the position of
 * the round after it. One transaction, so that a crash repeats the whole visit or nothing of it.
 */
export async function commitVisit(
  deps: SyncDeps,
  run: EndpointRun,
  visit: Visit,
  { walk, unwritten }: WalkProgress,
  deleted: (Deletions & Partial<ChildDeletions>) | undefined,
): Promise<void> {
  const { profileKey, name, endpoint } = run
  const key = { ...profileKey, endpoint: name }
  const nowMs = deps.clock.now()
  const ids = deleted?.ids ?? []
  const parentIds = visit.parents.map(({ id }) => id)
  // The parent does not change when only its children were not all seen, so nothing else would bring the next visit.
  const isToRepeat = deleted === undefined && endpoint.deletes !== 'none' && endpoint.children?.when === 'changed'
  const retryAt = isToRepeat ? nowMs + endpoint.everyMs : undefined
  await commitPage(deps, run, unwritten, nowMs, ids.length, async (tx, ingested, lastSeq) => {
    const removed = await removeItems(tx, profileKey, ids, lastSeq - ids.length + 1, nowMs)
    await removeChildItems(tx, key, parentIds, deleted?.unlinked ?? [])
    if (removed > 0) await markDeliveriesDue(tx, profileKey, nowMs)
    if (run.stream.hasFaults) await keepFaults(tx, profileKey, name, NO_FAULTS, [...ids, ...parentIds], nowMs)
    await saveVisit(tx, key, visit.parents, { watermark: storable(walk.watermark), retryAt })
    const { round } = visit
    const after = afterVisit(visit, {
      pages: round.pages + walk.pages,
      changes: round.changes + walk.changes + removed,
      visited: round.visited + visit.parents.length,
      refusedInRow: 0,
      deleted: round.deleted + removed,
      suspects: round.suspects + (deleted?.suspects ?? 0),
      quota: round.quota ?? walk.quota,
      fullInRow: walk.quota !== undefined && walk.changes === 0 ? round.fullInRow + 1 : 0,
    })
    const added = ingested.added - ingested.removed - removed
    await saveRound(tx, run, after, { added, nowMs, dueAt: 0 })
    visit.round = after
  })
}

/** The service refuses these parents: that is noted as a fault, and the round goes on. */
export async function commitRefusal(
  deps: SyncDeps,
  run: EndpointRun,
  visit: Visit,
  { walk, unwritten }: WalkProgress,
  error: UpstreamError,
): Promise<void> {
  const { profileKey, name, connector, endpoint } = run
  const nowMs = deps.clock.now()
  const kind = connector.endpoints[endpoint.children?.each ?? '']?.kind.name ?? name
  const latest = visit.parents.map(({ id, nativeId }) => ({
    itemId: id,
    nativeId: nativeId.slice(0, 200),
    kind,
    field: FAULT_FIELD,
    message: error.message.slice(0, 500),
  }))
  await commitPage(deps, run, unwritten, nowMs, 0, async (tx, ingested) => {
    const waitMs = error.recovery === 'retry' ? HOUR_MS : DAY_MS
    await saveRefusal(tx, { ...profileKey, endpoint: name }, visit.parents, nowMs + waitMs)
    await keepFaults(tx, profileKey, name, { count: latest.length, latest }, [], nowMs)
    run.stream.hasFaults = true
    const { round } = visit
    const after = afterVisit(visit, {
      pages: round.pages + walk.pages,
      changes: round.changes + walk.changes,
      refused: round.refused + visit.parents.length,
      refusedInRow: round.refusedInRow + visit.parents.length,
      lastRefusal: { reason: error.reason, error: error.message.slice(0, 500) },
    })
    await saveRound(tx, run, after, { added: ingested.added - ingested.removed, nowMs, dueAt: 0 })
    visit.round = after
  })
}

/** The end of a slice between two parents: the endpoint moves behind others that are due. */
export async function commitRoundYielded(deps: SyncDeps, run: EndpointRun, round: Round): Promise<void> {
  const nowMs = deps.clock.now()
  await commitPage(deps, run, emptyDiff(), nowMs, 0, (tx) =>
    saveRound(tx, run, round, { added: 0, nowMs, dueAt: nowMs }),
  )
}

function saveRound(
  tx: Queries,
  { profileKey, name }: EndpointRun,
  round: Round,
  at: { added: number; nowMs: number; dueAt: number },
): Promise<void> {
  return saveProgress(tx, profileKey, name, { ...at, walk: round, seen: undefined, watermark: undefined })
}

function storable(watermark: string | number | undefined): string | number | undefined {
  return String(watermark ?? '').length > MAX_WATERMARK ? undefined : watermark
}
