import type { Children } from '#kit/endpoints/children.ts'
import { forParents } from '#kit/endpoints/for-parents.ts'
import { sourceOf } from '#model/accounts/profile.ts'
import {
  parentRecords,
  parentsAfter,
  parentsById,
  parentsToRetry,
  profileSeq,
  type StoredParent,
} from '#store/sync/child-checkpoints.ts'
import { listEndpoints } from '#store/sync/endpoints.ts'
import { parseStored } from '#upstream/body/lossless-json.ts'
import type { SyncDeps } from '../deps.ts'
import { beginRound, type Parent, type Round, type Visit } from '../walk/children-round.ts'
import type { EndpointRun } from '../walk/endpoint-run.ts'
import type { Outcome } from '../walk/outcome.ts'
import type { Walk } from '../walk/walk.ts'
import { commitRound, removeOrphans } from './commit-round.ts'
import { commitRoundYielded } from './commit-visit.ts'
import { isRefusal } from './refusal.ts'

/** Limit: parents of a child endpoint that are looked up at once; their records are read when their turn comes. */
const MAX_PARENTS = 200
/**
 * Limit: parents in a row that the service refuses while none was read; then the sync of the endpoint fails, and its next
 * attempt begins after them.
 */
const MAX_REFUSED = 100

/** Limit: parents in a row that have only new items while a quota is full; then the round ends. */
const MAX_FULL = 10

/** Walks over the pages of one parent, or of a batch. */
type WalkPages = (run: EndpointRun) => Promise<Outcome>

type Step = { round: Round } | { outcome: Outcome }

/** One round over the parents of a child endpoint, or the part of it that fits into the slice. */
export async function runChildren(deps: SyncDeps, run: EndpointRun, walkPages: WalkPages): Promise<Outcome> {
  const children = run.endpoint.children!
  let round = beginRound(children, run.state, await parentCount(deps, run, children), deps.clock.now())
  if (!(await removeOrphans(deps, run, round))) return yielded(deps, run, round)
  for await (const unit of unitsOf(deps, run, children, () => round)) {
    const step = await visitParents(run, unit, round, walkPages)
    if ('outcome' in step) return step.outcome
    round = step.round
    // Further parents would only show what cannot be stored, or be refused as well.
    if (round.fullInRow >= MAX_FULL || (round.visited === 0 && round.refusedInRow >= MAX_REFUSED)) break
    if (deps.clock.now() >= run.untilMs || run.signal.aborted) return yielded(deps, run, round)
  }
  const error = await commitRound(deps, run, round)
  return error === undefined ? { kind: 'done' } : { kind: 'failed', error }
}

async function yielded(deps: SyncDeps, run: EndpointRun, round: Round): Promise<Outcome> {
  await commitRoundYielded(deps, run, round)
  return { kind: 'yielded' }
}

async function parentCount(deps: SyncDeps, { profileKey, state }: EndpointRun, { each }: Children): Promise<number> {
  if (state.walk !== undefined) return 0
  return (await listEndpoints(deps.database, profileKey)).find(({ endpoint }) => endpoint === each)?.items ?? 0
}

interface Unit {
  parents: Parent[]
  isRetry: boolean
  walk: Walk | undefined
  /** The service no longer knows the checkpoint. */
  isRestart?: boolean
}

/** The parents to visit: first the one where the last run stopped, then those to be tried again, then all in order. */
async function* unitsOf(
  deps: SyncDeps,
  run: EndpointRun,
  children: Children,
  roundNow: () => Round,
): AsyncGenerator<Unit> {
  const key = { ...run.profileKey, endpoint: run.name }
  const size = children.batch?.size ?? 1
  const { current } = roundNow()
  if (current !== undefined) {
    const stored = await parentsById(deps.database, key, children.each, current.parents)
    // If one of them is deleted or changed, its list may be another one.
    if (stored.length === current.parents.length) {
      const parents = await withRecords(deps, run, children, stored)
      if (parents.length === stored.length) yield { parents, isRetry: current.isRetry, walk: current.walk }
    }
  }
  // Each visit gives these parents another time, so that none is found twice.
  while (!roundNow().isFromStart) {
    const ids = await parentsToRetry(deps.database, key, roundNow().beganAt, size)
    if (ids.length === 0) break
    const stored = await parentsById(deps.database, key, children.each, ids)
    const parents = await withRecords(deps, run, { ...children, where: undefined }, stored)
    if (parents.length === 0) break
    yield { parents, isRetry: true, walk: undefined }
  }
  for (;;) {
    const seq = await profileSeq(deps.database, run.profileKey)
    const stored = await parentsAfter(deps.database, key, children.each, roundNow().afterSeq, MAX_PARENTS)
    yield* inUnits(deps, run, children, stored, roundNow)
    const round = roundNow()
    // Also past parents that are not visited; at the end past everything that was written before.
    const isLast = stored.length < MAX_PARENTS
    round.afterSeq = Math.max(round.afterSeq, isLast ? seq : 0, stored.at(-1)?.seq ?? 0)
    if (isLast) return
  }
}

async function* inUnits(
  deps: SyncDeps,
  run: EndpointRun,
  children: Children,
  stored: StoredParent[],
  roundNow: () => Round,
): AsyncGenerator<Unit> {
  const size = children.batch?.size ?? 1
  let unit: Parent[] = []
  for (const parent of stored) {
    const round = roundNow()
    if (isRefusedUntilLater(parent, round)) {
      round.refused += 1
      continue
    }
    const [loaded] = await withRecords(deps, run, children, [parent])
    if (loaded === undefined || !hasChanged(loaded, children, round)) continue
    unit.push(loaded)
    if (unit.length < size) continue
    yield { parents: unit, isRetry: false, walk: undefined }
    unit = []
  }
  if (unit.length > 0) yield { parents: unit, isRetry: false, walk: undefined }
}

function isRefusedUntilLater({ seq, visited }: StoredParent, { isFromStart, beganAt }: Round): boolean {
  return !isFromStart && visited?.retryAt !== undefined && visited.retryAt > beganAt && visited.seq >= seq
}

/** False where the connector's version says that the children are the same, whatever else changed. */
function hasChanged({ visited, version }: Parent, children: Children, round: Round): boolean {
  if (round.isAll || children.version === undefined || visited === undefined) return true
  return version === undefined || version !== visited.version
}

/** With their records, without those that have no children by the connector's `where`. */
async function withRecords(
  deps: SyncDeps,
  run: EndpointRun,
  children: Children,
  stored: StoredParent[],
): Promise<Parent[]> {
  const ids = stored.map(({ id }) => id)
  const records = ids.length === 0 ? new Map<string, string>() : await parentRecords(deps.database, run.profileKey, ids)
  return stored.flatMap((parent) => {
    const data = records.get(parent.id)
    if (data === undefined) return []
    const record = parseStored(data)
    const read = <Value>(reader: (record: unknown) => Value, otherwise: Value): Value => {
      try {
        return reader(record)
      } catch {
        // A reader that does not understand the record: the parent is visited.
        return otherwise
      }
    }
    const { where } = children
    const person = { id: sourceOf(run.profile) }
    if (where !== undefined && !read((each) => where(each, person), true)) return []
    const version = children.version === undefined ? undefined : read(children.version, undefined)
    return [{ ...parent, record, version: version === undefined ? undefined : String(version) }]
  })
}

/**
 * One visit. A resumed walk that is refused begins anew, because the service may not know its cursor any more; a batch is
 * visited again in halves, so that one bad parent does not hide the others.
 */
async function visitParents(run: EndpointRun, unit: Unit, round: Round, walkPages: WalkPages): Promise<Step> {
  const { parents, walk, isRetry, isRestart = false } = unit
  const isFromStart = round.isFromStart || isRestart || parents.length > 1
  const watermark = isFromStart ? undefined : parents[0]?.visited?.watermark
  const isTrial = walk !== undefined || parents.length > 1
  const visit: Visit = { round, parents, isRetry, isTrial, hasCheckpoint: watermark !== undefined }
  const state = { ...run.state, watermark, walk, validator: undefined }
  const outcome = await walkPages({ ...run, state, visit, endpoint: forParents(run.endpoint, parents) })
  if (outcome.kind === 'done') return { round: visit.round }
  if (outcome.kind !== 'failed' || !isRefusal(outcome.error, { ...visit, round })) return { outcome }
  if (walk !== undefined) return visitParents(run, { ...unit, walk: undefined }, round, walkPages)
  if (outcome.error.recovery === 'restart' && visit.hasCheckpoint)
    return visitParents(run, { ...unit, isRestart: true }, round, walkPages)
  if (parents.length === 1) return { round: visit.round }
  const half = Math.ceil(parents.length / 2)
  const first = await visitParents(run, { ...unit, parents: parents.slice(0, half) }, round, walkPages)
  if ('outcome' in first) return first
  return visitParents(run, { ...unit, parents: parents.slice(half) }, first.round, walkPages)
}
