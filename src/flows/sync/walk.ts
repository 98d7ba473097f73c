import type { Connector } from '#kit/connector.ts'
import type { Endpoint } from '#kit/endpoint.ts'
import type { PageRequest } from '#kit/pages.ts'
import type { Profile } from '#model/profile.ts'
import type { QuotaName } from '#model/quotas.ts'
import type { EndpointState } from '#store/sync/endpoints.ts'
import { UpstreamError } from '#upstream/errors.ts'

type Watermark = string | number | undefined

/** Where a walk over pages is; stored after each page, so that a crash goes on there. */
export interface Walk {
  next: PageRequest
  /** The mark to keep when it ends. */
  watermark: Watermark
  pages: number
  hasChanges: number
  beganAt: number
  /** Every page so far is accounted for: only then is what the walk did not show really gone. */
  whole: boolean
  /** How many pages the stored ids cover. */
  seenPages: number
  /** The oldest time shown so far. */
  oldestAt?: number | undefined
  /** Records shown so far. */
  shown: number
  /** Pages in a row that brought nothing, and those that only repeated. */
  empty: number
  repeated: number
  /** The quota that kept new items out, and how many pages in a row brought nothing else. */
  quota?: QuotaName | undefined
  fullPages?: number
}

export const NOT_BEGUN: Walk = {
  next: { method: 'GET', path: '', query: {} },
  watermark: undefined,
  pages: 0,
  hasChanges: 0,
  beganAt: 0,
  whole: true,
  seenPages: 0,
  shown: 0,
  empty: 0,
  repeated: 0,
}

/** After so long a list is another one: what was seen at its beginning proves nothing at its end. */
const OLDEST_WALK_MS = 86_400_000

export function beginWalk(endpoint: Endpoint, profile: Profile, state: EndpointState, nowMs: number): Walk {
  const kept = state.walk as Walk | undefined
  if (kept !== undefined)
    return {
      ...kept,
      whole: kept.whole && kept.seenPages === kept.pages && nowMs - kept.beganAt < OLDEST_WALK_MS,
    }
  const plain: PageRequest = {
    method: endpoint.method,
    path: fill(endpoint.path, profile),
    query: {
      ...fillAll(endpoint.query, profile),
      ...(state.watermark === undefined ? {} : endpoint.checkpoint?.query(state.watermark)),
    },
    headers: endpoint.headers,
  }
  const request = endpoint.prepare?.(plain, { nowMs, watermark: state.watermark }) ?? plain
  return { ...NOT_BEGUN, next: endpoint.pages.first(request), watermark: state.watermark, beganAt: nowMs }
}

/** The mark after a page. A record that the reader stumbles over has no say in it. */
export function advanceWatermark(
  endpoint: Endpoint,
  page: { items: unknown[]; body: unknown },
  before: Watermark,
): Watermark {
  const { checkpoint } = endpoint
  if (checkpoint === undefined) return before
  const advance = (items: unknown[]) => checkpoint.advance({ items, body: page.body }, before) ?? before
  const clean = (item: unknown) => tried(() => advance([item]) !== null, false)
  return tried(() => advance(page.items), undefined) ?? tried(() => advance(page.items.filter(clean)), before)
}

/** The request after this page; undefined at the end, or where everything is known already. */
export function nextRequest(
  endpoint: Endpoint,
  connector: Connector,
  walk: Walk,
  page: { body: unknown; headers: Record<string, string>; items: unknown[]; count: number },
  watermark: Watermark,
): PageRequest | undefined {
  const { checkpoint } = endpoint
  const isKnown = (item: unknown) => tried(() => checkpoint?.isKnown?.(item, watermark!) === true, false)
  if (watermark !== undefined && page.items.length > 0 && page.items.every(isKnown)) return undefined
  try {
    return endpoint.pages.next({ request: walk.next, body: page.body, headers: page.headers, count: page.count })
  } catch (error) {
    throw new UpstreamError('stop', `${connector.title} answered a page whose successor cannot be read.`, {
      reason: 'unexpected_answer',
      cause: error,
    })
  }
}

function tried<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read()
  } catch {
    // A record that the reader stumbles over has no say; it is counted where it is read as an item.
    return otherwise
  }
}

function fill(text: string, profile: Profile): string {
  return text
    .replaceAll('{id}', encodeURIComponent(profile.nativeId))
    .replaceAll('{handle}', encodeURIComponent(profile.person.handle ?? profile.nativeId))
}

function fillAll(query: Record<string, string>, profile: Profile): Record<string, string> {
  const plain = (value: string) =>
    value.replaceAll('{id}', profile.nativeId).replaceAll('{handle}', profile.person.handle ?? profile.nativeId)
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, plain(value)]))
}
