import type { Connector } from '#kit/connector/connector.ts'
import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import type { Page, PageRequest } from '#kit/endpoints/pages.ts'
import { plainRequest } from '#kit/endpoints/plain-request.ts'
import { grantedScopes, type Profile } from '#model/accounts/profile.ts'
import type { QuotaName } from '#model/apps/quotas.ts'
import type { EndpointState } from '#store/sync/endpoints.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import type { PageDiff } from '../diff/diff-page.ts'
import { firstSize, resize } from './page-size.ts'

type Watermark = string | number | undefined

/** The position of a walk over pages. Stored with the items, so that the next run continues there after a crash. */
export interface Walk {
  next: PageRequest
  /** The watermark to store when the walk ends. */
  watermark: Watermark
  pages: number
  /** New, changed and deleted items so far. */
  changes: number
  beganAt: number
  /** Every record so far is accounted for: only then are stored items that the walk did not show deleted. */
  isComplete: boolean
  /** How many pages the stored ids cover. */
  seenPages: number
  /** The oldest time shown so far. */
  oldestAt?: number | undefined
  /** Records shown so far. */
  shown: number
  /** Empty pages in a row, and repeated pages in all. */
  empty: number
  repeated: number
  /** It lists everything, also what is older than the watermark. */
  isWhole?: boolean
  /** Records per page, where the service refused the endpoint's own page size. */
  size?: number | undefined
  /** The quota that refused new items, and how many pages in a row had only refused ones. */
  quota?: QuotaName | undefined
  fullPages?: number
}

/** A walk during a run, with what is not stored yet. */
export interface WalkProgress {
  walk: Walk
  /** Ids of everything shown so far, where deletes are derived from it. */
  seen: Set<string>
  /** What the page writer has not written. */
  unwritten: PageDiff
}

export const NOT_BEGUN: Walk = {
  next: { method: 'GET', path: '', query: {} },
  watermark: undefined,
  pages: 0,
  changes: 0,
  beganAt: 0,
  isComplete: true,
  seenPages: 0,
  shown: 0,
  empty: 0,
  repeated: 0,
}

/**
 * Limit: duration of a walk over a listing; after a longer one, deletes are not detected, because the listing has
 * changed meanwhile.
 */
const MAX_COMPLETE_WALK_MS = 86_400_000

export function beginWalk(endpoint: Endpoint, profile: Profile, state: EndpointState, nowMs: number): Walk {
  const stored = state.walk as Walk | undefined
  if (stored !== undefined)
    return {
      ...stored,
      isComplete:
        stored.isComplete && stored.seenPages === stored.pages && nowMs - stored.beganAt < MAX_COMPLETE_WALK_MS,
    }
  const isWhole = endpoint.checkpoint === undefined || isWholeDue(endpoint, state, nowMs)
  const from = isWhole ? undefined : state.watermark
  const plain = plainRequest(endpoint, profile, from)
  const request = endpoint.prepare?.(plain, { nowMs, watermark: from, granted: grantedScopes(profile) }) ?? plain
  const size = firstSize(endpoint, state.pageSize)
  const next = resize(endpoint, endpoint.pages.first(request), size)
  return { ...NOT_BEGUN, next, watermark: state.watermark, beganAt: nowMs, isWhole, size }
}

/** Whether it is time to list everything. Confirmed deletes need it too: only such a walk shows which items are missing. */
function isWholeDue(endpoint: Endpoint, state: EndpointState, nowMs: number): boolean {
  if (state.watermark === undefined || (state.confirmDeletes && endpoint.deletes === 'all')) return true
  if (endpoint.wholeEveryMs === undefined) return false
  return state.confirmDeletes || state.wholeAt === undefined || nowMs - state.wholeAt >= endpoint.wholeEveryMs
}

/** The watermark from which the walk continues; undefined when it lists everything. */
export function startOf(walk: Walk, state: EndpointState): Watermark {
  return walk.isWhole === true ? undefined : state.watermark
}

/** The watermark after a page. Records that the connector cannot read do not count. */
export function advanceWatermark(
  endpoint: Endpoint,
  page: { items: unknown[]; body: unknown },
  before: Watermark,
): Watermark {
  const { checkpoint } = endpoint
  if (checkpoint === undefined) return before
  const advance = (items: unknown[]) => checkpoint.advance({ items, body: page.body }, before) ?? before
  const isReadable = (item: unknown) => orElse(() => advance([item]) !== null, false)
  return orElse(() => advance(page.items), undefined) ?? orElse(() => advance(page.items.filter(isReadable)), before)
}

/** The request after this page; undefined at the end, or where all further records are known. */
export function nextRequest(
  endpoint: Endpoint,
  connector: Connector,
  walk: Walk,
  page: Omit<Page, 'request'> & { items: unknown[] },
  watermark: Watermark,
): PageRequest | undefined {
  const next = requestAfter(endpoint, connector, walk, page, watermark)
  // A link to the next page may have the size that the service likes best.
  return next && resize(endpoint, next, walk.size)
}

function requestAfter(
  endpoint: Endpoint,
  connector: Connector,
  walk: Walk,
  page: { body: unknown; headers: Record<string, string>; url?: string | undefined; items: unknown[]; count: number },
  watermark: Watermark,
): PageRequest | undefined {
  const { checkpoint } = endpoint
  const isKnown = (item: unknown) => orElse(() => checkpoint?.isKnown?.(item, watermark!) === true, false)
  if (watermark !== undefined && page.items.length > 0 && page.items.every(isKnown)) return undefined
  try {
    const { body, headers, count, url } = page
    return endpoint.pages.next({ request: walk.next, body, headers, count, url })
  } catch (error) {
    throw new UpstreamError('stop', `The address of the next page of ${connector.title} cannot be read.`, {
      reason: 'unexpected_answer',
      cause: error,
    })
  }
}

function orElse<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read()
  } catch {
    // The connector cannot read this record; it becomes a fault where it is read as an item.
    return otherwise
  }
}
