import type { Endpoint } from '#kit/endpoint.ts'
import type { PageRequest } from '#kit/pages.ts'
import { atMilestones } from '#store/statistics.ts'
import { type EndpointState, findSeenIds, type Validator } from '#store/sync-endpoints.ts'
import type { LosslessJson } from '#upstream/body/lossless-json.ts'
import { UpstreamError } from '#upstream/errors.ts'
import { findGone } from './deletes.ts'
import { digest, emptyDigest, isRecord } from './digest.ts'
import { type FetchedPage, fetchPage } from './fetch-page.ts'
import { createLoopGuard, fingerprint, type LoopGuard, requestName } from './loop-guard.ts'
import type { SyncNeed } from './need.ts'
import { createPageWriter, type PageWriter } from './page-writer.ts'
import { createQuotaGuard, type QuotaGuard } from './quota-guard.ts'
import { unpackSeen } from './seen.ts'
import { settleDone, settleFailure, settlePause, type Walking } from './settle.ts'
import { advanceMark, beginWalk, NOT_BEGUN, nextRequest, type Walk } from './walk.ts'
import type { EndpointRun } from './write-page.ts'

export type Outcome = { kind: 'done' } | { kind: 'yielded' } | { kind: 'failed'; error: UpstreamError }

/** Limit: pages in a row that bring only new items while a quota is full; then the walk ends, because a service may have ever new ones. */
const MAX_FULL_PAGES = 10

/** Walks one endpoint. What it learns is stored as it goes; how it went is stored at its end. Business failures are outcomes, not errors. */
export async function runEndpoint(need: SyncNeed, run: EndpointRun): Promise<Outcome> {
  const guard = createQuotaGuard(need, run)
  const outcome = await runGuarded(need, run, guard)
  await guard.tell()
  tellLost(need, run)
  return outcome
}

/** Once for a run, however many records it concerns. */
function tellLost({ log }: SyncNeed, { connector, name, owner, stream }: EndpointRun): void {
  if (stream.lost.size > 0)
    log.warn('a connector could not read some fields; tributary faults lists them', {
      service: connector.service,
      endpoint: name,
      profile: owner.profileId,
      fields: Object.fromEntries(stream.lost),
    })
}

async function runGuarded(need: SyncNeed, run: EndpointRun, quotas: QuotaGuard): Promise<Outcome> {
  const writer = createPageWriter(need, run)
  const walking: Walking = { walk: NOT_BEGUN, seen: new Set(), rest: emptyDigest() }
  try {
    await begin(need, run, walking)
    return await walkPages(need, run, walking, writer, quotas)
  } catch (error) {
    // Nothing may be left under way, and a write that failed tells more than what came after it.
    walking.rest = await writer.drain()
    if (run.signal.aborted) return { kind: 'yielded' }
    if (!(error instanceof UpstreamError)) throw error
    await settleFailure(need, run, walking, error)
    return { kind: 'failed', error }
  }
}

async function begin(need: SyncNeed, run: EndpointRun, walking: Walking): Promise<void> {
  walking.walk = firstWalk(need, run)
  if (walking.walk.whole && walking.walk.pages > 0)
    walking.seen = unpackSeen((await findSeenIds(need.database, run.owner, run.name)) ?? Buffer.alloc(0))
}

async function walkPages(
  need: SyncNeed,
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
    const fetched = await fetchPage(need, run, walk.next, conditionsOf(state, walk), run.signal)
    if (fetched.unchanged) {
      await settleDone(need, run, walking, {
        validator: state.validator,
        gone: undefined,
        restUntilMs: undefined,
      })
      return { kind: 'done' }
    }
    const { restUntilMs } = fetched
    const next = await takePage(need, run, walking, { writer, guard, quotas }, fetched)
    await atMilestones(need.database, walk.news, walking.walk.news)
    if (next === undefined) {
      walking.rest = await writer.drain()
      // An answer of which something was left out is to be read again.
      const isTaken = walk.pages === 0 && walking.walk.quota === undefined
      const validator = isTaken ? validatorOf(walk.next, fetched.headers) : undefined
      await settleEnd(need, run, walking, { validator, restUntilMs })
      return { kind: 'done' }
    }
    if (need.clock.now() >= run.untilMs || run.signal.aborted) {
      walking.rest = await writer.drain()
      await settlePause(need, run, walking)
      return { kind: 'yielded' }
    }
    if (restUntilMs !== undefined) throw resting(restUntilMs - need.clock.now())
  }
}

/** Takes a page in and gives the request after it; undefined at the end. */
async function takePage(
  need: SyncNeed,
  run: EndpointRun,
  walking: Walking,
  { writer, guard, quotas }: { writer: PageWriter; guard: LoopGuard; quotas: QuotaGuard },
  fetched: FetchedPage,
): Promise<PageRequest | undefined> {
  const { walk, seen } = walking
  const { records, isList, mark, next } = readPage(run, walk, fetched)
  const whole = await digest(need.database, run.stream, records, need.clock.now(), writer.settleAny)
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
    mark: quota !== undefined && run.endpoint.checkpoint?.oldestFirst ? walk.mark : mark,
    quota,
    fullPages,
    pages: walk.pages + 1,
    news: walk.news + page.rows.length + page.gone.length,
    whole: walk.whole && isList && !page.nameless && (next === undefined || !isOver),
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
  need: SyncNeed,
  run: EndpointRun,
  walking: Walking,
  end: { validator: Validator | undefined; restUntilMs: number | undefined },
): Promise<void> {
  const { endpoint, name, owner, state } = run
  const { walk, seen } = walking
  // All of it would be read again for ever, and it would look like success.
  if (endpoint.checkpoint !== undefined && walk.mark === undefined && walk.shown > 0 && walk.quota === undefined)
    throw new UpstreamError('stop', 'Its records have nothing to go on from: the checkpoint does not move.', {
      reason: 'checkpoint_stuck',
    })
  const { mark, confirmDeletes: confirmed } = state
  const gone = walk.whole
    ? await findGone(need.database, owner, name, endpoint, { seen, oldestAt: walk.oldestAt, mark, confirmed })
    : undefined
  await settleDone(need, run, walking, { ...end, gone })
}

/** Connectors are code of others: a mistake in one is its endpoint's failure, not the worker's. */
function firstWalk(need: SyncNeed, { endpoint, profile, state }: EndpointRun): Walk {
  try {
    return beginWalk(endpoint, profile, state, need.clock.now())
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
    mark: advanceMark(endpoint, { items: good, body }, walk.mark),
    next: nextRequest(endpoint, connector, walk, { body, headers, items: good, count: items.length }, state.mark),
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
