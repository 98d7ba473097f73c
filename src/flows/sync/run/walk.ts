import type { Connector } from '#kit/connector.ts'
import type { Endpoint } from '#kit/endpoint.ts'
import type { Page, PageRequest } from '#kit/pages.ts'
import { grantedScopes, type Profile } from '#model/profile.ts'
import type { QuotaName } from '#model/quotas.ts'
import type { EndpointState } from '#store/sync/endpoints.ts'
import { UpstreamError } from '#upstream/errors.ts'
import type { PageDiff } from '../diff/diff-page.ts'

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
  const plain: PageRequest = {
    method: endpoint.method,
    path: fillPath(endpoint.path, profile),
    query: {
      ...fillQuery(endpoint.query, profile),
      ...(state.watermark === undefined ? {} : endpoint.checkpoint?.query(state.watermark)),
    },
    headers: endpoint.headers,
  }
  const request =
    endpoint.prepare?.(plain, { nowMs, watermark: state.watermark, granted: grantedScopes(profile) }) ?? plain
  return { ...NOT_BEGUN, next: endpoint.pages.first(request), watermark: state.watermark, beganAt: nowMs }
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

function fillPath(text: string, profile: Profile): string {
  return text
    .replaceAll('{id}', encodeURIComponent(profile.nativeId))
    .replaceAll('{handle}', encodeURIComponent(profile.person.handle ?? profile.nativeId))
}

function fillQuery(query: Record<string, string>, profile: Profile): Record<string, string> {
  const plain = (value: string) =>
    value.replaceAll('{id}', profile.nativeId).replaceAll('{handle}', profile.person.handle ?? profile.nativeId)
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, plain(value)]))
}
