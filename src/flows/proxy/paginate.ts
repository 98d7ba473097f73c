import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { acquire } from '#access/acquire.ts'
import type { PageRequest } from '#kit/endpoints/pages.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import { retryAfterMs } from '#platform/formats/retry-after.ts'
import type { Hangup } from '#platform/waiting/hangup.ts'
import { readLimited } from '#upstream/body/read-limited.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { joinedHeaders } from '#upstream/request/joined-headers.ts'
import { discard } from '#upstream/request/open-stream.ts'
import type { CallAddress } from './address.ts'
import type { CallFlags, ProxyDeps, ProxyResponse, Target } from './deps.ts'
import { responseHeaders } from './headers.ts'
import { leadStreamBack, linksOfCall } from './lead-body-back.ts'
import { type OpenedCall, type OutgoingCall, openCall } from './open-call.ts'
import { MAX_PAGE_BYTES, type PageText, type Pagination, paginationOf, parsePage } from './parse-page.ts'
import { type Called, originOf, passThrough } from './pass-through.ts'
import type { Targets } from './targets.ts'

/** Limit: pages that the proxy joins for one request; more end the walk with an error. */
const MAX_PAGES = 100_000
/** Limit: pause that a service may require between two pages; a longer one ends the walk with an error. */
const MAX_PAUSE_MS = 60_000
const ATTEMPTS = 4
// These request a range of one response, or make it conditional.
const RESPONSE_SPECIFIC = ['range', 'if-range', 'if-none-match', 'if-modified-since', 'if-match', 'if-unmodified-since']

/**
 * Joins all pages of a listing into one array and streams it. A first response other than 200 is returned unchanged.
 */
export async function paginate(
  deps: ProxyDeps,
  targets: Targets,
  outgoing: OutgoingCall,
  called: Called & { flags: CallFlags },
): Promise<ProxyResponse> {
  const { flags, proxyUrl } = called
  if (outgoing.method !== 'GET' || !('path' in outgoing.address)) throw cannotPaginate('must be a GET request.')
  const { path, query } = outgoing.address
  const pagination = paginationOf(outgoing.target.connector, path, query, deps.clock.now())
  const first = firstRequest(pagination, path)
  const call: OutgoingCall = {
    ...outgoing,
    headers: pageHeaders(outgoing.headers),
    address: callAddressOf(first, query),
  }
  const opened = await openCall(deps, targets, call, flags)
  if (opened.status !== 200) return passThrough(outgoing.target, opened, called)
  const page = await readPage(deps, outgoing.target, { path, query }, first, opened, outgoing.hangup)
  if (page === undefined)
    throw cannotPaginate('the path is not a listing of the connector, and the response is not an array.')
  const fetchNext = (request: PageRequest) => fetchPage(deps, targets, call, flags, { path, query }, request)
  const joined = Readable.from(joinPages(page, fetchNext), { objectMode: false })
  const links = linksOfCall(outgoing.target, called.headers)
  const from = originOf(outgoing.target, opened, proxyUrl)
  const body = links === undefined ? joined : leadStreamBack(joined, links, from)
  const { 'content-type': _type, ...securityHeaders } = responseHeaders({})
  return { status: 200, headers: { ...securityHeaders, 'content-type': 'application/json; charset=utf-8' }, body }
}

function firstRequest({ first }: Pagination, path: string): PageRequest {
  try {
    return first({ method: 'GET', path, query: {} })
  } catch (error) {
    throw cannotPaginate('this path can only be paginated by a sync.', error)
  }
}

/** The app's query with the parameters of the page; an absolute URL of a page has its own query. */
function callAddressOf(request: PageRequest, query: string): CallAddress {
  if (/^https?:/i.test(request.path)) {
    const url = new URL(request.path)
    for (const [name, value] of Object.entries(request.query)) url.searchParams.set(name, value)
    return { url: url.href }
  }
  const queryStart = request.path.indexOf('?')
  if (queryStart >= 0) return { path: request.path.slice(0, queryStart), query: request.path.slice(queryStart + 1) }
  const set = Object.entries(request.query)
  const kept = query.split('&').filter((pair) => pair !== '' && !set.some(([name]) => pair.split('=', 1)[0] === name))
  const added = set.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  return { path: request.path, query: [...kept, ...added].join('&') }
}

function pageHeaders(headers: Record<string, string>): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !RESPONSE_SPECIFIC.includes(name))
  const gzip = /\bgzip\b/.test(headers['accept-encoding'] ?? '') ? 'gzip' : 'identity'
  return { ...Object.fromEntries(kept), 'accept-encoding': gzip }
}

async function fetchPage(
  deps: ProxyDeps,
  targets: Targets,
  outgoing: OutgoingCall,
  flags: CallFlags,
  listing: { path: string; query: string },
  request: PageRequest,
): Promise<PageText> {
  const address = callAddressOf(request, 'query' in outgoing.address ? outgoing.address.query : '')
  for (let attempt = 1; ; attempt += 1) {
    await acquire(deps, outgoing.target, { purpose: 'person', maxWaitMs: MAX_PAUSE_MS, until: outgoing.hangup })
    const opened = await openCall(deps, targets, { ...outgoing, address }, flags)
    if (opened.status === 200) {
      const page = await readPage(deps, outgoing.target, listing, request, opened, outgoing.hangup)
      if (page !== undefined) return page
      throw walkBroken('a page has a different shape than the first')
    }
    discard(opened)
    const waitMs = retryAfterMs(joinedHeaders(opened.headers), deps.clock.now()) ?? 500 * 2 ** attempt
    const mayRetry = (opened.status === 429 || opened.status >= 500) && waitMs <= MAX_PAUSE_MS && attempt < ATTEMPTS
    if (!mayRetry) throw walkBroken(`the service responded ${opened.status} to a page`)
    flags.retried = true
    await sleep(waitMs, undefined, { signal: outgoing.hangup.signal })
  }
}

async function readPage(
  deps: ProxyDeps,
  { connector: { service } }: Target,
  listing: { path: string; query: string },
  request: PageRequest,
  opened: OpenedCall,
  hangup: Hangup,
): Promise<PageText | undefined> {
  const bytes = await readRaw(opened, hangup).catch((error: unknown) => {
    throw walkBroken('a page could not be read', error)
  })
  const headers = joinedHeaders(opened.headers)
  const page = { service, ...listing, request, url: opened.url, headers, bytes }
  return (deps.readPage ?? ((given) => parsePage(deps, given)))(page, hangup.signal)
}

/** The encoded bytes: they are decoded where they are parsed. */
async function readRaw({ body }: OpenedCall, hangup: Hangup): Promise<Uint8Array> {
  return Buffer.isBuffer(body) ? body : readLimited(body, { maxBytes: MAX_PAGE_BYTES, signal: hangup.signal })
}

/** Writes the items of all pages as one JSON array. */
async function* joinPages(first: PageText, fetch: (request: PageRequest) => Promise<PageText>): AsyncGenerator<string> {
  const requested = new Set<string>()
  let separator = '['
  for (let page = first; ; ) {
    if (page.items !== '') {
      yield separator + page.items
      separator = ','
    }
    if (page.next === undefined) break
    const key = JSON.stringify(page.next)
    if (requested.has(key)) throw walkBroken('a page was listed twice')
    if (requested.size >= MAX_PAGES) throw walkBroken('there are too many pages')
    requested.add(key)
    page = await fetch(page.next)
  }
  yield separator === '[' ? '[]' : ']'
}

const cannotPaginate = (why: string, cause?: unknown): ApiError => invalidInput('bad_parameter', 'paginate', why, cause)

const walkBroken = (what: string, cause?: unknown): UpstreamError =>
  new UpstreamError('retry', `Pagination ended early: ${what}.`, { reason: 'walk_broken', cause })
