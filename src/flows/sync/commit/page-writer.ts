import { saveProgress } from '#store/sync/endpoints.ts'
import { joinFaults } from '#store/sync/reader-faults.ts'
import type { SyncDeps } from '../deps.ts'
import { emptyDiff, type PageDiff } from '../diff/diff-page.ts'
import { positionOf } from '../walk/children-round.ts'
import type { EndpointRun } from '../walk/endpoint-run.ts'
import type { Walk } from '../walk/walk.ts'
import { commitPage } from './commit-page.ts'

/** Commits pages of a walk while the next one is fetched. */
export interface PageWriter {
  /** Resolves when none of these ids waits to be written: only then can they be looked up. */
  waitFor: (ids: string[]) => Promise<void>
  /** Takes a page and the position after it. Resolves at once unless too much is waiting already. */
  add: (page: PageDiff, position: Walk) => Promise<void>
  /** Waits for the commit in progress and returns what is not written; the caller writes it. */
  drain: () => Promise<PageDiff>
}

/** Limit: new records of a sync that wait to be written while the next page is fetched. */
const MAX_WAITING = 500
/** A page without changes does not store its position: after a crash a few pages are read again. */
const SAVE_POSITION_EVERY_MS = 5000

/** One transaction at a time; pages that arrive meanwhile share the next one. */
export function createPageWriter(deps: SyncDeps, run: EndpointRun): PageWriter {
  let waiting = emptyDiff()
  let position: Walk | undefined
  let inFlight: Promise<void> | undefined
  let failure: { error: unknown } | undefined
  let savedAt = deps.clock.now()
  const unwrittenIds = new Set<string>()

  function startCommit(): void {
    const [page, walk, nowMs] = [waiting, position!, deps.clock.now()]
    waiting = emptyDiff()
    const watermark = run.visit === undefined && run.endpoint.checkpoint?.oldestFirst ? walk.watermark : undefined
    inFlight = commitPage(deps, run, page, nowMs, 0, (tx, ingested) =>
      saveProgress(tx, run.profileKey, run.name, {
        walk: positionOf(run.visit, walk),
        seen: undefined,
        dueAt: 0,
        watermark,
        added: ingested.added - ingested.removed,
        nowMs,
      }),
    )
      .catch((error: unknown) => {
        failure = { error }
      })
      .finally(() => {
        savedAt = nowMs
        for (const id of idsOf(page)) unwrittenIds.delete(id)
        inFlight = undefined
        if (failure === undefined && sizeOf(waiting) > 0) startCommit()
      })
  }

  async function waitForCommits(): Promise<void> {
    for (let commit = inFlight; commit !== undefined; commit = inFlight) await commit
    if (failure !== undefined) throw failure.error
  }

  return {
    waitFor: async (ids) => {
      if (ids.some((id) => unwrittenIds.has(id))) await waitForCommits()
    },
    add: async (page, after) => {
      if (failure !== undefined) throw failure.error
      waiting = joined(waiting, page)
      position = after
      for (const id of idsOf(page)) unwrittenIds.add(id)
      const isDue = sizeOf(waiting) > 0 || deps.clock.now() - savedAt >= SAVE_POSITION_EVERY_MS
      if (inFlight === undefined && isDue) startCommit()
      if (sizeOf(waiting) > MAX_WAITING) await inFlight
    },
    drain: async () => {
      await waitForCommits()
      return waiting
    },
  }
}

function idsOf({ rows, deleted, reserialized }: PageDiff): string[] {
  return [...rows.map(({ id }) => id), ...deleted, ...reserialized.map(({ id }) => id)]
}

function sizeOf({ rows, reserialized, deleted, quarantined, releases, links }: PageDiff): number {
  return rows.length + reserialized.length + deleted.length + quarantined.length + releases.length + links.length
}

// No item is in both: it would have been written before the second page was looked up.
function joined(one: PageDiff, other: PageDiff): PageDiff {
  if (sizeOf(one) === 0) return other
  return {
    ...emptyDiff(),
    rows: [...one.rows, ...other.rows],
    reserialized: [...one.reserialized, ...other.reserialized],
    deleted: [...one.deleted, ...other.deleted],
    quarantined: [...one.quarantined, ...other.quarantined],
    releases: [...one.releases, ...other.releases],
    faults: joinFaults(one.faults, other.faults),
    links: [...one.links, ...other.links],
  }
}
