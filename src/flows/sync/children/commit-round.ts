import { childrenOf, computedFrom } from '#kit/endpoints/child-endpoints.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { itemsOnlyIn, removeChildItems, someChildItems } from '#store/items/child-items.ts'
import { removeItems } from '#store/items/items.ts'
import { markDeliveriesDue } from '#store/push/cursors.ts'
import { deletedParents, forgetParents, makeChildrenDue } from '#store/sync/child-checkpoints.ts'
import { saveDone, saveFailed, saveProgress, setEndpointLeftOut } from '#store/sync/endpoints.ts'
import { keepFaults, NO_FAULTS } from '#store/sync/reader-faults.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { commitPage } from '../commit/commit-page.ts'
import { chanceOf, type SyncDeps, timesOf } from '../deps.ts'
import { emptyDiff } from '../diff/diff-page.ts'
import { nextInterval, retryAt } from '../schedule/interval.ts'
import { type Round, watermarkAfter } from '../walk/children-round.ts'
import type { EndpointRun } from '../walk/endpoint-run.ts'

/** Limit: items of a deleted parent that one transaction removes; further ones follow in the next. */
const MAX_REMOVED = 500

/** The end of a round. Returns why the endpoint failed, where the service refused every single parent. */
export async function commitRound(deps: SyncDeps, run: EndpointRun, round: Round): Promise<UpstreamError | undefined> {
  const { profileKey, name, state } = run
  const nowMs = deps.clock.now()
  const { lastRefusal } = round
  const refusal = round.isAll && round.visited === 0 ? lastRefusal : undefined
  await commitPage(deps, run, emptyDiff(), nowMs, 0, async (tx) => {
    if (refusal !== undefined) {
      const nextRunAt = retryAt(state.fails, undefined, nowMs, chanceOf(deps))
      return saveFailed(tx, profileKey, name, { ...refusal, nextRunAt, nowMs, walk: undefined, seen: undefined })
    }
    const next = nextInterval(
      run.connector.service,
      name,
      run.endpoint,
      run.rules,
      { intervalMs: state.intervalMs, changes: round.changes, nowMs },
      () => run.spread,
    )
    await saveDone(tx, profileKey, name, {
      ...next,
      watermark: watermarkAfter(round, state),
      wholeAt: undefined,
      pageSize: state.pageSize,
      validator: undefined,
      suspectDeletes: round.suspects,
      confirmed: round.isAll && state.confirmDeletes,
      added: 0,
      wasDueAt: state.nextRunAt,
      nowMs,
    })
    const leftOut = round.quota ?? (round.isFromStart ? undefined : state.leftOut)
    if (leftOut !== state.leftOut) await setEndpointLeftOut(tx, profileKey, name, leftOut)
    await wakeChildren(deps, tx, run, round.changes)
  })
  if (round.suspects > 0)
    deps.log.warn('more items are missing than is plausible; they are kept until the deletes are confirmed', {
      service: run.connector.service,
      endpoint: name,
      profile: profileKey.profileId,
      items: round.suspects,
    })
  return refusal && new UpstreamError('stop', refusal.error, { reason: refusal.reason })
}

/**
 * After the items of an endpoint changed: what is computed from them and child endpoints that follow changes are due, and at the
 * end of the first walk all of them. A rule of the app about when they run is kept.
 */
export async function wakeChildren(deps: SyncDeps, tx: Queries, run: EndpointRun, changes: number): Promise<void> {
  if (changes === 0) return
  const { connector, name, rules, state } = run
  const { service, endpoints } = connector
  const children = childrenOf(endpoints, name).filter(
    (child) => endpoints[child]?.children?.when === 'changed' || state.firstDoneAt === undefined,
  )
  const names = [...children, ...computedFrom(endpoints, name)].filter(
    (child) => rules.pace[`${service}/${child}`] === undefined && rules.pace[`${service}/*`] === undefined,
  )
  const nowMs = deps.clock.now()
  await makeChildrenDue(tx, run.profileKey, names, { nowMs, soonMs: nowMs + timesOf(deps).coalesceMs })
}

/**
 * Deletes the items of parents that are deleted, in bounded steps. Returns false at the end of the slice: what is left
 * follows in the next run.
 */
export async function removeOrphans(deps: SyncDeps, run: EndpointRun, round: Round): Promise<boolean> {
  const key = { ...run.profileKey, endpoint: run.name }
  for (;;) {
    const parents = await deletedParents(deps.database, key, 100)
    if (parents.length === 0) return true
    for (const parent of parents)
      while (await removeSome(deps, run, round, parent))
        if (deps.clock.now() >= run.untilMs || run.signal.aborted) return false
  }
}

/** Removes some items of a deleted parent, and at last what is known of it. True while there may be more. */
async function removeSome(deps: SyncDeps, run: EndpointRun, round: Round, parent: string): Promise<boolean> {
  const { profileKey, name } = run
  const key = { ...profileKey, endpoint: name }
  const nowMs = deps.clock.now()
  const linked = await someChildItems(deps.database, key, parent, MAX_REMOVED)
  const ids = await itemsOnlyIn(deps.database, key, [parent], linked)
  await commitPage(deps, run, emptyDiff(), nowMs, ids.length, async (tx, _, lastSeq) => {
    const removed = await removeItems(tx, profileKey, ids, lastSeq - ids.length + 1, nowMs)
    if (removed > 0) await markDeliveriesDue(tx, profileKey, nowMs)
    await removeChildItems(tx, key, [parent], linked)
    if (run.stream.hasFaults) await keepFaults(tx, profileKey, name, NO_FAULTS, [...ids, parent], nowMs)
    if (linked.length < MAX_REMOVED) await forgetParents(tx, key, [parent])
    round.changes += removed
    await saveProgress(tx, profileKey, name, {
      walk: round,
      seen: undefined,
      dueAt: 0,
      watermark: undefined,
      added: -removed,
      nowMs,
    })
  })
  return linked.length === MAX_REMOVED
}
