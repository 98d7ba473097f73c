import { saveProgress } from '#store/sync/endpoints.ts'
import { joinFaults } from '#store/sync/reader-faults.ts'
import type { SyncDeps } from './deps.ts'
import { emptyDiff, type PageDiff } from './digest.ts'
import type { Walk } from './walk.ts'
import { type EndpointRun, writeUnderFence } from './write-page.ts'

/** Writes what a walk learns while its next page is already on the way. */
export interface PageWriter {
  /** Waits for items that are not written yet, if one of these is among them: only then can they be looked up. */
  settleAny: (ids: string[]) => Promise<void>
  /** Takes a page in, with the place after it. Comes back at once unless much is waiting already. */
  add: (page: PageDiff, place: Walk) => Promise<void>
  /** Waits for the write under way, and gives what nobody has written yet: the caller's to write. */
  drain: () => Promise<PageDiff>
}

/** Limit: new records of a sync that wait to be written while the next page is fetched. */
const MAX_WAITING = 500
/** Pages that change nothing need no place of their own: after a crash a few are read again. */
const SAVE_POSITION_EVERY_MS = 5000

/** One transaction at a time; whatever comes in meanwhile goes together into the next. */
export function createPageWriter(deps: SyncDeps, run: EndpointRun): PageWriter {
  let waiting = emptyDiff()
  let place: Walk | undefined
  let flying: Promise<void> | undefined
  let failure: { error: unknown } | undefined
  let savedAt = deps.clock.now()
  const unwritten = new Set<string>()

  function start(): void {
    const [page, walk, nowMs] = [waiting, place!, deps.clock.now()]
    waiting = emptyDiff()
    const watermark = run.endpoint.checkpoint?.oldestFirst ? walk.watermark : undefined
    flying = writeUnderFence(deps, run, page, nowMs, 0, (tx, ingested) =>
      saveProgress(tx, run.owner, run.name, {
        walk,
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
        for (const id of idsOf(page)) unwritten.delete(id)
        flying = undefined
        if (failure === undefined && weight(waiting) > 0) start()
      })
  }

  async function landed(): Promise<void> {
    for (let write = flying; write !== undefined; write = flying) await write
    if (failure !== undefined) throw failure.error
  }

  return {
    settleAny: async (ids) => {
      if (ids.some((id) => unwritten.has(id))) await landed()
    },
    add: async (page, after) => {
      if (failure !== undefined) throw failure.error
      waiting = joined(waiting, page)
      place = after
      for (const id of idsOf(page)) unwritten.add(id)
      const isTime = weight(waiting) > 0 || deps.clock.now() - savedAt >= SAVE_POSITION_EVERY_MS
      if (flying === undefined && isTime) start()
      if (weight(waiting) > MAX_WAITING) await flying
    },
    drain: async () => {
      await landed()
      return waiting
    },
  }
}

function idsOf({ rows, deleted, reserialized }: PageDiff): string[] {
  return [...rows.map(({ id }) => id), ...deleted, ...reserialized.map(({ id }) => id)]
}

function weight({ rows, reserialized, deleted, bad, good }: PageDiff): number {
  return rows.length + reserialized.length + deleted.length + bad.length + good.length
}

// No item is in both: it would have been written before the second was looked up.
function joined(one: PageDiff, other: PageDiff): PageDiff {
  if (weight(one) === 0) return other
  return {
    ...emptyDiff(),
    rows: [...one.rows, ...other.rows],
    reserialized: [...one.reserialized, ...other.reserialized],
    deleted: [...one.deleted, ...other.deleted],
    bad: [...one.bad, ...other.bad],
    good: [...one.good, ...other.good],
    faults: joinFaults(one.faults, other.faults),
  }
}
