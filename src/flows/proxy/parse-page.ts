import type { Connector } from '#kit/connector/connector.ts'
import type { Registry } from '#kit/connector/registry.ts'
import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import { type BodyFormat, linkPages, type PageRequest, type Pages } from '#kit/endpoints/pages.ts'
import { FormatError } from '#model/format-error.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { BodyDecodeError, BodyLimitError, JsonError } from '#upstream/body/errors.ts'
import { type LosslessJson, stringifyLossless } from '#upstream/body/lossless-json.ts'
import { readBody } from '#upstream/body/read-body.ts'
import { readLimited } from '#upstream/body/read-limited.ts'
import { UpstreamError } from '#upstream/request/errors.ts'

/** A page of a listing as received. Serializable, so that another process can parse it. */
export interface RawPage {
  service: string
  /** Of the app's request. */
  path: string
  query: string
  /** The request for this page, and the URL of the response. */
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

/** Undefined if it is not a page. */
export type ReadPage = (page: RawPage, signal: AbortSignal) => Promise<PageText | undefined>

/** How to paginate: the first request, the records in a response, and the next request. */
export interface Pagination {
  first: (request: PageRequest) => PageRequest
  pages: Pages
  items: (body: unknown) => unknown[] | undefined
  parse: BodyFormat
}

const linkPagination = linkPages()
/** Limit (proxy): bytes of one page that the proxy joins to others; a larger one ends the walk with an error. */
export const MAX_PAGE_BYTES = 5 * 1024 * 1024
/** Limit: nesting of such a page; a deeper one ends the walk with an error. */
const MAX_PAGE_DEPTH = 1000

export interface ParsePageDeps {
  registry: Registry
  log: Log
}

/** Throws an UpstreamError if the connector's reader of the page fails: that is a fault, not “not a page”. */
export async function parsePage({ registry, log }: ParsePageDeps, page: RawPage): Promise<PageText | undefined> {
  const connector = registry.find(page.service)
  if (connector === undefined) return undefined
  const pagination = paginationOf(connector, page.path, page.query, 0)
  const body = await parseBody(page, pagination.parse)
  if (body === undefined) return undefined
  try {
    const items = pagination.items(body)
    if (items === undefined) return undefined
    const { request, headers, url } = page
    const next = pagination.pages.next({ request, body, headers, count: items.length, url })
    return {
      items: items.map((item) => stringifyLossless(item as LosslessJson)).join(','),
      next,
    }
  } catch (error) {
    log.warn('a connector could not read a page', { service: page.service, path: page.path, error })
    throw new UpstreamError('stop', `The connector of ${connector.title} could not read a page of this path.`, {
      reason: 'unexpected_answer',
      cause: error,
    })
  }
}

/** Undefined if the response does not have the format, or exceeds the limits. */
async function parseBody({ bytes: raw, headers }: RawPage, format: BodyFormat): Promise<LosslessJson | undefined> {
  try {
    const bytes = await readLimited([raw], { maxBytes: MAX_PAGE_BYTES, contentEncoding: headers['content-encoding'] })
    return readBody(bytes.toString('utf8'), format, MAX_PAGE_DEPTH)
  } catch (error) {
    if (
      error instanceof BodyLimitError ||
      error instanceof BodyDecodeError ||
      error instanceof JsonError ||
      error instanceof FormatError
    )
      return undefined
    throw error
  }
}

/**
 * The pagination of the endpoint with this path; otherwise that of the `Link` header, for responses that are arrays.
 */
export function paginationOf(connector: Connector, path: string, query: string, nowMs: number): Pagination {
  const given = new URLSearchParams(query)
  const samePath = Object.values(connector.endpoints).filter(
    (endpoint) => endpoint.method === 'GET' && endpoint.host === undefined && patternOf(endpoint).test(path),
  )
  const matchesQuery = ({ query: declared }: Endpoint) =>
    Object.entries(declared).every(([name, value]) => given.get(name) === value)
  const endpoint = samePath.find(matchesQuery) ?? samePath[0]
  if (endpoint !== undefined) {
    const { pages, items, parse, prepare } = endpoint
    return {
      first: (request) =>
        pages.first(prepare?.(request, { nowMs, watermark: undefined, granted: undefined }) ?? request),
      pages,
      items,
      parse,
    }
  }
  return {
    first: linkPagination.first,
    pages: linkPagination,
    parse: 'json',
    items: (body) => (Array.isArray(body) ? (body as unknown[]) : undefined),
  }
}

// Listings of other people have the same pagination as the person's own.
function patternOf({ path }: Endpoint): RegExp {
  const escaped = path.split(/\{[\w.]+\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^${escaped.join('[^/]+')}$`)
}
