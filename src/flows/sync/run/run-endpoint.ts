import { localIdOf } from '#kit/auth/ask.ts'
import { localId } from '#kit/auth/server-native-id.ts'
import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import type { PageRequest } from '#kit/endpoints/pages.ts'
import { sourceOf } from '#model/accounts/profile.ts'
import { analyzeAtThresholds } from '#store/items/statistics.ts'
import { findSeenIds, type Validator } from '#store/sync/endpoints.ts'
import type { LosslessJson } from '#upstream/body/lossless-json.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { findDeletedChildren, linkToParents } from '../children/link-items.ts'
import { runChildren } from '../children/run-children.ts'
import { createPageWriter, type PageWriter } from '../commit/page-writer.ts'
import { createQuotaGuard, type QuotaGuard } from '../commit/quota-guard.ts'
import type { SyncDeps } from '../deps.ts'
import { diffPage, emptyDiff } from '../diff/diff-page.ts'
import { findDeleted } from '../diff/find-deleted.ts'
import { isObject } from '../diff/item-stream.ts'
import type { Unchanged } from '../fetch/classify-response.ts'
import { computePage } from '../fetch/computed-page.ts'
import { fetchPage, type LocatedPage } from '../fetch/fetch-page.ts'
import { dropReadUploads, isUploaded, readUploadedPage } from '../fetch/uploaded-page.ts'
import type { EndpointRun } from '../walk/endpoint-run.ts'
import { createLoopGuard, fingerprint, type LoopGuard, requestName } from '../walk/loop-guard.ts'
import type { Outcome } from '../walk/outcome.ts'
import { withSmallerPages } from '../walk/page-size.ts'
import { unpackSeenIds } from '../walk/seen-ids.ts'
import {
  advanceWatermark,
  beginWalk,
  NOT_BEGUN,
  nextRequest,
  startOf,
  type Walk,
  type WalkProgress,
} from '../walk/walk.ts'
import { commitDone, commitFailed, commitYielded } from './commit-run.ts'

/**
 * Limit: pages in a row that bring only new items while a quota is full; then the walk ends, because a service may have
 * ever new ones.
 */
const MAX_FULL_PAGES = 10

/**
 * Walks one endpoint: fetch a page, diff it, commit it. Items are stored during the walk, its outcome at the end.
 * Failures of the service are outcomes, not errors.
 */
export async function runEndpoint(deps: SyncDeps, run: EndpointRun): Promise<Outcome> {
  const quotas = createQuotaGuard(deps, run)
  const outcome =
    run.endpoint.children === undefined
      ? await walkEndpoint(deps, run, quotas)
      : await runChildren(deps, run, (visit) => walkEndpoint(deps, visit, quotas))
  await quotas.report()
  logFaults(deps, run)
  return outcome
}

/** One line for a run, however many records it concerns. */
function logFaults({ log }: SyncDeps, { connector, name, profileKey, stream }: EndpointRun): void {
  if (stream.faultsByField.size > 0)
    log.warn('a connector could not read some fields; tributary faults lists them', {
      service: connector.service,
      endpoint: name,
      profile: profileKey.profileId,
      fields: Object.fromEntries(stream.faultsByField),
    })
}

async function walkEndpoint(deps: SyncDeps, run: EndpointRun, quotas: QuotaGuard): Promise<Outcome> {
  const writer = createPageWriter(deps, run)
  const progress: WalkProgress = { walk: NOT_BEGUN, seen: new Set(), unwritten: emptyDiff() }
  try {
    await begin(deps, run, progress)
    const outcome = await walkPages(deps, run, progress, writer, quotas)
    if (isUploaded(run) && outcome.kind === 'done') await dropReadUploads(deps, run, progress.walk)
    return outcome
  } catch (error) {
    // Waits for the write in progress. If that failed, its error is thrown instead: it is the cause.
    progress.unwritten = await writer.drain()
    if (run.signal.aborted) return { kind: 'yielded' }
    if (!(error instanceof UpstreamError)) throw error
    await commitFailed(deps, run, progress, error)
    return { kind: 'failed', error }
  }
}

async function begin(deps: SyncDeps, run: EndpointRun, progress: WalkProgress): Promise<void> {
  progress.walk = firstWalk(deps, run)
  if (progress.walk.isComplete && progress.walk.pages > 0)
    progress.seen = unpackSeenIds((await findSeenIds(deps.database, run.profileKey, run.name)) ?? Buffer.alloc(0))
}

async function walkPages(
  deps: SyncDeps,
  run: EndpointRun,
  progress: WalkProgress,
  writer: PageWriter,
  quotas: QuotaGuard,
): Promise<Outcome> {
  const { state } = run
  const loopGuard = createLoopGuard()
  for (;;) {
    const { walk } = progress
    loopGuard.checkRequest(walk.next, walk)
    run.onPage()
    const fetched = await fetchOrAdapt(deps, run, progress)
    if (fetched === 'adapted') continue
    if (fetched.unchanged) {
      await commitDone(deps, run, progress, {
        validator: state.validator,
        deleted: undefined,
        blockedUntilMs: undefined,
      })
      return { kind: 'done' }
    }
    const { blockedUntilMs } = fetched
    const next = await processPage(deps, run, progress, { writer, loopGuard, quotas }, fetched)
    await analyzeAtThresholds(deps.database, walk.changes, progress.walk.changes)
    if (next === undefined) {
      progress.unwritten = await writer.drain()
      // A response of which a quota refused something must be read again.
      const isStored = walk.pages === 0 && progress.walk.quota === undefined
      const validator = isStored ? validatorOf(walk.next, fetched.headers) : undefined
      await endWalk(deps, run, progress, { validator, blockedUntilMs })
      return { kind: 'done' }
    }
    if (deps.clock.now() >= run.untilMs || run.signal.aborted) {
      progress.unwritten = await writer.drain()
      await commitYielded(deps, run, progress)
      return { kind: 'yielded' }
    }
    if (blockedUntilMs !== undefined) throw endpointBlocked(blockedUntilMs - deps.clock.now())
  }
}

/** Fetches the next page of the walk. `adapted`: the service refused the request, and the walk has another form of it now. */
async function fetchOrAdapt(
  deps: SyncDeps,
  run: EndpointRun,
  progress: WalkProgress,
): Promise<LocatedPage | Unchanged | 'adapted'> {
  const { walk } = progress
  if (run.endpoint.computed !== undefined) return computePage(deps, run, run.endpoint.computed, walk.next)
  if (isUploaded(run)) return readUploadedPage(deps, run, walk.next)
  try {
    return await fetchPage(deps, run, walk.next, conditionsOf(run, walk), run.signal)
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    progress.walk =
      error.recovery === 'smaller'
        ? withSmallerPages(run.endpoint, walk, error)
        : withAlternative(run.endpoint, walk, error)
    return 'adapted'
  }
}

/** Another form of a refused request; throws the refusal if there is none. */
function withAlternative({ alternative }: Endpoint, walk: Walk, error: UpstreamError): Walk {
  const next = error.status === 400 ? alternative?.(walk.next) : undefined
  if (next === undefined) throw error
  return { ...walk, next }
}

/** Diffs a page, hands it to the writer and returns the next request; undefined at the end. */
async function processPage(
  deps: SyncDeps,
  run: EndpointRun,
  progress: WalkProgress,
  { writer, loopGuard, quotas }: { writer: PageWriter; loopGuard: LoopGuard; quotas: QuotaGuard },
  fetched: LocatedPage,
): Promise<PageRequest | undefined> {
  const { walk, seen } = progress
  const { records, isList, watermark, next } = readPage(run, walk, fetched)
  const diff = await diffPage(deps.database, run.stream, records, deps.clock.now(), writer.waitFor)
  const { page: admitted, refused, quota = walk.quota } = await quotas.admit(diff)
  const page = await linkToParents(deps.database, run, admitted, records)
  const fullPages = refused > 0 && refused === page.seen.length ? (walk.fullPages ?? 0) + 1 : 0
  const isOver = next === undefined || fullPages >= MAX_FULL_PAGES
  const counts = loopGuard.countPage(page.seen, walk)
  if (run.endpoint.deletes !== 'none') for (const id of page.seen) seen.add(id)
  progress.walk = {
    ...walk,
    ...counts,
    next: next ?? walk.next,
    // Oldest first: refused items are fetched again from here.
    watermark: quota !== undefined && run.endpoint.checkpoint?.oldestFirst ? walk.watermark : watermark,
    quota,
    fullPages,
    pages: walk.pages + 1,
    changes: walk.changes + page.rows.length + page.deleted.length,
    isComplete: walk.isComplete && isList && !page.hasUnidentified && (next === undefined || !isOver),
    oldestAt: older(walk.oldestAt, page.oldestAt),
    shown: walk.shown + page.seen.length,
  }
  await writer.add(page, progress.walk)
  return isOver ? undefined : next
}

function older(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return Math.min(one, other)
}

async function endWalk(
  deps: SyncDeps,
  run: EndpointRun,
  progress: WalkProgress,
  end: { validator: Validator | undefined; blockedUntilMs: number | undefined },
): Promise<void> {
  const { endpoint, name, profileKey, state } = run
  const { walk, seen } = progress
  // Without this error every run would read everything again and look like a success.
  const needsWatermark = endpoint.checkpoint !== undefined && endpoint.checkpoint.isOptional !== true
  if (needsWatermark && walk.watermark === undefined && walk.shown > 0 && walk.quota === undefined)
    throw new UpstreamError('stop', 'The checkpoint does not advance: no record has a value to continue from.', {
      reason: 'checkpoint_stuck',
    })
  const { confirmDeletes: isConfirmed } = state
  const { oldestAt } = walk
  const watermark = startOf(walk, state)
  const find = () =>
    run.visit === undefined
      ? findDeleted(deps.database, profileKey, name, endpoint, { seen, oldestAt, watermark, isConfirmed })
      : findDeletedChildren(deps.database, run, { seen, oldestAt, isConfirmed })
  // An incremental walk does not show which of all items are missing; what an earlier walk suspected stays as it is.
  const mayFindDeleted = walk.isComplete && !(endpoint.deletes === 'all' && watermark !== undefined)
  const deleted = mayFindDeleted ? await find() : undefined
  await commitDone(deps, run, progress, { ...end, deleted })
}

/** An error in a connector's code fails its endpoint, not the worker. */
function firstWalk(deps: SyncDeps, { connector, endpoint, profile, state }: EndpointRun): Walk {
  try {
    const nativeId = localId(connector.auth, localIdOf(connector, sourceOf(profile)))
    return beginWalk(endpoint, { ...profile, nativeId }, state, deps.clock.now())
  } catch (cause) {
    throw new UpstreamError('stop', 'The connector failed to build the first request.', {
      reason: 'connector_fault',
      cause,
    })
  }
}

function readPage({ endpoint, connector, state }: EndpointRun, walk: Walk, { body, headers, url }: LocatedPage) {
  const list = itemsOf(endpoint, body)
  if (list !== undefined && list.length > MAX_PAGE_RECORDS) throw tooManyRecords(list.length)
  const items = list ?? []
  // Checkpoints expect objects; the diff quarantines everything else.
  const objects = items.filter(isObject)
  const page = { body, headers, url, items: objects, count: items.length }
  return {
    records: items as LosslessJson[],
    isList: list !== undefined,
    watermark: advanceWatermark(endpoint, { items: objects, body }, walk.watermark),
    next: nextRequest(endpoint, connector, walk, page, startOf(walk, state)),
  }
}

function itemsOf(endpoint: Endpoint, body: unknown): unknown[] | undefined {
  try {
    const items = endpoint.items(body)
    if (items === undefined || Array.isArray(items)) return items
  } catch (cause) {
    throw unexpectedShape(cause)
  }
  throw unexpectedShape()
}

/** Limit: records of one page of a service; a page with more fails the sync. */
const MAX_PAGE_RECORDS = 10_000

function tooManyRecords(count: number): UpstreamError {
  return new UpstreamError('stop', `A page has ${count} records; at most ${MAX_PAGE_RECORDS} are allowed.`, {
    reason: 'unexpected_answer',
  })
}

function unexpectedShape(cause?: unknown): UpstreamError {
  return new UpstreamError('stop', 'The response does not have the documented shape.', {
    reason: 'unexpected_answer',
    cause,
  })
}

function endpointBlocked(waitMs: number): UpstreamError {
  return new UpstreamError('retry', 'The service allows no more calls to this endpoint for now.', {
    reason: 'rate_limited_here',
    retryAfterMs: Math.max(0, waitMs),
  })
}

/** The validator (ETag or date) of a response. Only a listing of one page can be compared by it. */
function validatorOf(request: PageRequest, headers: Record<string, string>): Validator | undefined {
  const value = headers['etag'] ?? headers['last-modified']
  return value === undefined ? undefined : { request: fingerprint(requestName(request)), value }
}

/** Headers of a conditional request. While deletes are suspected, the response itself is needed. */
function conditionsOf({ state, endpoint }: EndpointRun, walk: Walk): Record<string, string> {
  const { validator, suspectDeletes, confirmDeletes } = state
  // With a checkpoint, an unchanged first page says nothing about the pages after it.
  if (walk.isWhole === true && endpoint.checkpoint !== undefined) return {}
  if (walk.pages > 0 || validator === undefined || suspectDeletes > 0 || confirmDeletes) return {}
  const { request, value } = validator
  if (request !== fingerprint(requestName(walk.next))) return {}
  return /^\w{3}, /.test(value) ? { 'if-modified-since': value } : { 'if-none-match': value }
}
