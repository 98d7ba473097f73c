import type { Connector } from '#kit/connector.ts'
import type { Endpoint } from '#kit/endpoint.ts'
import { linkPages, type PageRequest, type Pages } from '#kit/pages.ts'
import type { Registry } from '#kit/registry.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { BodyDecodeError, BodyLimitError, JsonError } from '#upstream/body/errors.ts'
import { type LosslessJson, parseLossless, stringifyLossless } from '#upstream/body/lossless-json.ts'
import { readLimited } from '#upstream/body/read-limited.ts'
import { UpstreamError } from '#upstream/errors.ts'

/** A page of a listing as it came from the service. Plain values, so that another process can parse it. */
export interface RawPage {
  service: string
  /** What the app asked for. */
  path: string
  query: string
  /** What this page was asked for with, and the address that gave it. */
  request: PageRequest
  url: string
  headers: Record<string, string>
  bytes: Uint8Array
}

export interface PageText {
  /** The records as JSON, separated by commas. */
  items: string
  next: PageRequest | undefined
}

/** Undefined when it is no page. */
export type ReadPage = (page: RawPage, signal: AbortSignal) => Promise<PageText | undefined>

/** How to walk: which records a response holds, and what comes after it. */
export interface Course {
  first: (request: PageRequest) => PageRequest
  pages: Pages
  items: (body: unknown) => unknown[] | undefined
}

const byLink = linkPages()
/** Limit: bytes of one page that the proxy joins to others; a larger one ends the walk with an error. */
export const MAX_PAGE_BYTES = 5 * 1024 * 1024
/** Limit: nesting of such a page; a deeper one ends the walk with an error. */
const MAX_PAGE_DEPTH = 1000

export interface ParsePageDeps {
  registry: Registry
  log: Log
}

/** Throws UpstreamError when the connector's own reader of the page fails: that is a fault, and not "no page". */
export async function parsePage({ registry, log }: ParsePageDeps, page: RawPage): Promise<PageText | undefined> {
  const connector = registry.find(page.service)
  const body = connector && (await jsonIn(page))
  if (connector === undefined || body === undefined) return undefined
  const course = courseFor(connector, page.path, page.query, 0)
  try {
    const items = course.items(body)
    if (items === undefined) return undefined
    const next = course.pages.next({ request: page.request, body, headers: page.headers, count: items.length })
    return {
      items: items.map((item) => stringifyLossless(item as LosslessJson)).join(','),
      next: next && course.pages === byLink ? resolved(next, page.url) : next,
    }
  } catch (error) {
    log.warn('a connector could not read a page', { service: page.service, path: page.path, error })
    throw new UpstreamError('stop', `The connector of ${connector.title} could not read a page of this path.`, {
      reason: 'unexpected_answer',
      cause: error,
    })
  }
}

/** Undefined when the response is no JSON that we take. */
async function jsonIn({ bytes: raw, headers }: RawPage): Promise<LosslessJson | undefined> {
  try {
    const bytes = await readLimited([raw], { maxBytes: MAX_PAGE_BYTES, contentEncoding: headers['content-encoding'] })
    return parseLossless(bytes.toString('utf8'), MAX_PAGE_DEPTH)
  } catch (error) {
    if (error instanceof BodyLimitError || error instanceof BodyDecodeError || error instanceof JsonError)
      return undefined
    throw error
  }
}

/** The walk of the endpoint that has this path; else the `Link` header, for answers that are arrays. */
export function courseFor(connector: Connector, path: string, query: string, nowMs: number): Course {
  const given = new URLSearchParams(query)
  const same = Object.values(connector.endpoints).filter(
    (endpoint) => endpoint.method === 'GET' && patternOf(endpoint).test(path),
  )
  const asks = ({ query: wanted }: Endpoint) =>
    Object.entries(wanted).every(([name, value]) => given.get(name) === value)
  const endpoint = same.find(asks) ?? same[0]
  if (endpoint !== undefined) {
    const { pages, items, prepare } = endpoint
    return {
      first: (request) => pages.first(prepare?.(request, { nowMs, watermark: undefined }) ?? request),
      pages,
      items,
    }
  }
  return {
    first: byLink.first,
    pages: byLink,
    items: (body) => (Array.isArray(body) ? (body as unknown[]) : undefined),
  }
}

// Lists of other people are paged like one's own.
function patternOf({ path }: Endpoint): RegExp {
  const escaped = path.split(/\{id\}|\{handle\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^${escaped.join('[^/]+')}$`)
}

// The address in a `Link` header may be relative to the page that names it.
function resolved(next: PageRequest, base: string): PageRequest {
  return { ...next, path: new URL(next.path, base).href }
}
