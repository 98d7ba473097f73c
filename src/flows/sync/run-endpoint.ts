import type { Endpoint } from '#kit/endpoint.ts'
import type { PageRequest } from '#kit/pages.ts'
import { analyzeAtThresholds } from '#store/items/statistics.ts'
import { type EndpointState, findSeenIds, type Validator } from '#store/sync/endpoints.ts'
import type { LosslessJson } from '#upstream/body/lossless-json.ts'
import { UpstreamError } from '#upstream/errors.ts'
import { findDeleted } from './deletes.ts'
import type { SyncDeps } from './deps.ts'
import { diffPage, emptyDiff, isRecord } from './digest.ts'
import { type FetchedPage, fetchPage } from './fetch-page.ts'
import { createLoopGuard, fingerprint, type LoopGuard, requestName } from './loop-guard.ts'
import { createPageWriter, type PageWriter } from './page-writer.ts'
import { createQuotaGuard, type QuotaGuard } from './quota-guard.ts'
import { unpackSeen } from './seen.ts'
import { settleDone, settleFailure, settlePause, type Walking } from './settle.ts'
import { advanceWatermark, beginWalk, NOT_BEGUN, nextRequest, type Walk } from './walk.ts'
import type { EndpointRun } from './write-page.ts'

export type Outcome = { kind: 'done' } | { kind: 'yielded' } | { kind: 'failed'; error: UpstreamError }

/** Limit: pages in a row that bring only new items while a quota is full; then the walk ends, because a service may have ever new ones. */
const MAX_FULL_PAGES = 10

/** Walks one endpoint. What it learns is stored as it goes; how it went is stored at its end. Business failures are outcomes, not errors. */
export async function runEndpoint(deps: SyncDeps, run: EndpointRun): Promise<Outcome> {
  const guard = createQuotaGuard(deps, run)
  const outcome = await runGuarded(deps, run, guard)
  await guard.notify()
  tellLost(deps, run)
  return outcome
}

/** Once for a run, however many records it concerns. */
function tellLost({ log }: SyncDeps, { connector, name, owner, stream }: EndpointRun): void {
  if (stream.lost.size > 0)
    log.warn('a connector could not read some fields; tributary faults lists them', {
      service: connector.service,
      endpoint: name,
      profile: owner.profileId,
      fields: Object.fromEntries(stream.lost),
    })
}

async function runGuarded(deps: SyncDeps, run: EndpointRun, quotas: QuotaGuard): Promise<Outcome> {
  const writer = createPageWriter(deps, run)
  const walking: Walking = { walk: NOT_BEGUN, seen: new Set(), rest: emptyDiff() }
  try {
    await begin(deps, run, walking)
    return await walkPages(deps, run, walking, writer, quotas)
  } catch (error) {
    // Nothing may be left under way, and a write that failed tells more than what came after it.
    walking.rest = await writer.drain()
    if (run.signal.aborted) return { kind: 'yielded' }
    if (!(error instanceof UpstreamError)) throw error
    await settleFailure(deps, run, walking, error)
    return { kind: 'failed', error }
  }
}

async function begin(deps: SyncDeps, run: EndpointRun, walking: Walking): Promise<void> {
  walking.walk = firstWalk(deps, run)
  if (walking.walk.whole && walking.walk.pages > 0)
    walking.seen = unpackSeen((await findSeenIds(deps.database, run.owner, run.name)) ?? Buffer.alloc(0))
}

async function walkPages(
  deps: SyncDeps,
  run: EndpointRun,
  walking: Walking,
  writer: PageWriter,
  quotas: QuotaGuard,
): Promise<Outcome> {
  const { state } = run
  const guard = createLoopGuard()
  for (;;) {
    const { walk } = walking
    guard.ask(walk.next, walk)
    run.onPage()
    const fetched = await fetchPage(deps, run, walk.next, conditionsOf(state, walk), run.signal)
    if (fetched.unchanged) {
      await settleDone(deps, run, walking, {
        validator: state.validator,
        deleted: undefined,
        restUntilMs: undefined,
      })
      return { kind: 'done' }
    }
    const { restUntilMs } = fetched
    const next = await takePage(deps, run, walking, { writer, guard, quotas }, fetched)
    await analyzeAtThresholds(deps.database, walk.hasChanges, walking.walk.hasChanges)
    if (next === undefined) {
      walking.rest = await writer.drain()
      // An answer of which something was left out is to be read again.
      const isTaken = walk.pages === 0 && walking.walk.quota === undefined
      const validator = isTaken ? validatorOf(walk.next, fetched.headers) : undefined
      await settleEnd(deps, run, walking, { validator, restUntilMs })
      return { kind: 'done' }
    }
    if (deps.clock.now() >= run.untilMs || run.signal.aborted) {
      walking.rest = await writer.drain()
      await settlePause(deps, run, walking)
      return { kind: 'yielded' }
    }
    if (restUntilMs !== undefined) throw resting(restUntilMs - deps.clock.now())
  }
}

/** Takes a page in and gives the request after it; undefined at the end. */
async function takePage(
  deps: SyncDeps,
  run: EndpointRun,
  walking: Walking,
  { writer, guard, quotas }: { writer: PageWriter; guard: LoopGuard; quotas: QuotaGuard },
  fetched: FetchedPage,
): Promise<PageRequest | undefined> {
  const { walk, seen } = walking
  const { records, isList, watermark, next } = readPage(run, walk, fetched)
  const whole = await diffPage(deps.database, run.stream, records, deps.clock.now(), writer.settleAny)
  const { page, refused, quota = walk.quota } = await quotas.admit(whole)
  const fullPages = refused > 0 && refused === page.seen.length ? (walk.fullPages ?? 0) + 1 : 0
  const isOver = next === undefined || fullPages >= MAX_FULL_PAGES
  const counts = guard.show(page.seen, walk)
  if (run.endpoint.deletes !== 'none') for (const id of page.seen) seen.add(id)
  walking.walk = {
    ...walk,
    ...counts,
    next: next ?? walk.next,
    // Oldest first: what is left out now is asked for again from here.
    watermark: quota !== undefined && run.endpoint.checkpoint?.oldestFirst ? walk.watermark : watermark,
    quota,
    fullPages,
    pages: walk.pages + 1,
    hasChanges: walk.hasChanges + page.rows.length + page.deleted.length,
    whole: walk.whole && isList && !page.hasUnidentified && (next === undefined || !isOver),
    oldestAt: older(walk.oldestAt, page.oldestAt),
    shown: walk.shown + page.seen.length,
  }
  await writer.add(page, walking.walk)
  return isOver ? undefined : next
}

function older(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return Math.min(one, other)
}

async function settleEnd(
  deps: SyncDeps,
  run: EndpointRun,
  walking: Walking,
  end: { validator: Validator | undefined; restUntilMs: number | undefined },
): Promise<void> {
  const { endpoint, name, owner, state } = run
  const { walk, seen } = walking
  // All of it would be read again for ever, and it would look like success.
  if (endpoint.checkpoint !== undefined && walk.watermark === undefined && walk.shown > 0 && walk.quota === undefined)
    throw new UpstreamError('stop', 'Its records have nothing to go on from: the checkpoint does not move.', {
      reason: 'checkpoint_stuck',
    })
  const { watermark, confirmDeletes: confirmed } = state
  const deleted = walk.whole
    ? await findDeleted(deps.database, owner, name, endpoint, { seen, oldestAt: walk.oldestAt, watermark, confirmed })
    : undefined
  await settleDone(deps, run, walking, { ...end, deleted })
}

/** Connectors are code of others: a mistake in one is its endpoint's failure, not the worker's. */
function firstWalk(deps: SyncDeps, { endpoint, profile, state }: EndpointRun): Walk {
  try {
    return beginWalk(endpoint, profile, state, deps.clock.now())
  } catch (cause) {
    throw new UpstreamError('stop', 'The connector cannot say what to ask for.', { reason: 'connector_fault', cause })
  }
}

function readPage({ endpoint, connector, state }: EndpointRun, walk: Walk, { body, headers }: FetchedPage) {
  const list = itemsOf(endpoint, body)
  if (list !== undefined && list.length > MAX_PAGE_RECORDS) throw tooMany(list.length)
  const items = list ?? []
  // Readers of checkpoints expect records; what is none is put aside later.
  const good = items.filter(isRecord)
  return {
    records: items as LosslessJson[],
    isList: list !== undefined,
    watermark: advanceWatermark(endpoint, { items: good, body }, walk.watermark),
    next: nextRequest(endpoint, connector, walk, { body, headers, items: good, count: items.length }, state.watermark),
  }
}

function itemsOf(endpoint: Endpoint, body: unknown): unknown[] | undefined {
  try {
    const items = endpoint.items(body)
    if (items === undefined || Array.isArray(items)) return items
  } catch (cause) {
    throw unexpected(cause)
  }
  throw unexpected()
}

/** Limit: records of one page of a service; a page with more fails the sync. */
const MAX_PAGE_RECORDS = 10_000

function tooMany(count: number): UpstreamError {
  return new UpstreamError('stop', `A page has ${count} records; ${MAX_PAGE_RECORDS} are taken.`, {
    reason: 'unexpected_answer',
  })
}

function unexpected(cause?: unknown): UpstreamError {
  return new UpstreamError('stop', 'The answer has another shape than its documentation says.', {
    reason: 'unexpected_answer',
    cause,
  })
}

function resting(waitMs: number): UpstreamError {
  return new UpstreamError('retry', 'The service wants no more calls to this endpoint for now.', {
    reason: 'rate_limited_here',
    retryAfterMs: Math.max(0, waitMs),
  })
}

/** What the service calls this answer. Only a list of one page can be judged by it. */
function validatorOf(request: PageRequest, headers: Record<string, string>): Validator | undefined {
  const value = headers['etag'] ?? headers['last-modified']
  return value === undefined ? undefined : { request: fingerprint(requestName(request)), value }
}

/** Asks for an answer only if it is another than last time; while deletes are in doubt the answer itself is needed. */
function conditionsOf(
  { validator, suspectDeletes, confirmDeletes }: EndpointState,
  walk: Walk,
): Record<string, string> {
  if (walk.pages > 0 || validator === undefined || suspectDeletes > 0 || confirmDeletes) return {}
  const { request, value } = validator
  if (request !== fingerprint(requestName(walk.next))) return {}
  return /^\w{3}, /.test(value) ? { 'if-modified-since': value } : { 'if-none-match': value }
}
