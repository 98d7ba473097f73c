import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { acquire } from '#access/acquire.ts'
import type { PageRequest } from '#kit/pages.ts'
import { ApiError } from '#model/errors.ts'
import type { Hangup } from '#platform/hangup.ts'
import { retryAfterMs } from '#platform/retry-after.ts'
import { readLimited } from '#upstream/body/read-limited.ts'
import { UpstreamError } from '#upstream/errors.ts'
import { joinedHeaders } from '#upstream/joined-headers.ts'
import { discard } from '#upstream/open-stream.ts'
import type { Where } from './address.ts'
import type { CallNotes, ProxyDeps, ProxyResponse, Target } from './deps.ts'
import { responseHeaders } from './headers.ts'
import { type Opened, type Outgoing, open } from './open.ts'
import { type Course, courseFor, MAX_PAGE_BYTES, type PageText, parsePage } from './parse-page.ts'
import type { Targets } from './targets.ts'

/** Limit: pages that the proxy joins for one request; then the walk ends with an error. */
const MAX_PAGES = 100_000
/** Limit: pause between two pages that a service may ask for; a longer one ends the walk. */
const MAX_PAUSE_MS = 60_000
const TRIES = 4
// These ask for a part of one answer, or for none at all.
const OF_ONE_RESPONSE = ['range', 'if-range', 'if-none-match', 'if-modified-since', 'if-match', 'if-unmodified-since']

/** All pages of a listing as one array, written while it is read. An answer that is no page goes back as it is. */
export async function paginate(
  deps: ProxyDeps,
  targets: Targets,
  out: Outgoing,
  notes: CallNotes,
): Promise<ProxyResponse> {
  if (out.method !== 'GET' || !('path' in out.where)) throw cannot('only GET has pages.')
  const { path, query } = out.where
  const course = courseFor(out.target.connector, path, query, deps.clock.now())
  const first = beginning(course, path)
  const asked: Outgoing = { ...out, headers: pageHeaders(out.headers), where: whereOf(first, query) }
  const opened = await open(deps, targets, asked, notes)
  if (opened.status !== 200)
    return { status: opened.status, headers: responseHeaders(opened.headers), body: opened.body }
  const page = await readPage(deps, out.target, { path, query }, first, opened, out.hangup)
  if (page === undefined)
    throw cannot('the path is none that the connector knows the pages of, and the answer is no array.')
  const later = (request: PageRequest) => fetchPage(deps, targets, asked, notes, { path, query }, request)
  const body = Readable.from(written(page, later), { objectMode: false })
  const { 'content-type': _type, ...harmless } = responseHeaders({})
  return { status: 200, headers: { ...harmless, 'content-type': 'application/json; charset=utf-8' }, body }
}

function beginning({ first }: Course, path: string): PageRequest {
  try {
    return first({ method: 'GET', path, query: {} })
  } catch (error) {
    throw cannot('the pages of this path cannot be walked without the rest of the sync.', error)
  }
}

/** The app's own query, with the parameters that the walk sets; a whole address has them all. */
function whereOf(request: PageRequest, query: string): Where {
  if (/^https?:/i.test(request.path)) {
    const url = new URL(request.path)
    for (const [name, value] of Object.entries(request.query)) url.searchParams.set(name, value)
    return { url: url.href }
  }
  const watermark = request.path.indexOf('?')
  if (watermark >= 0) return { path: request.path.slice(0, watermark), query: request.path.slice(watermark + 1) }
  const set = Object.entries(request.query)
  const kept = query.split('&').filter((pair) => pair !== '' && !set.some(([name]) => pair.split('=', 1)[0] === name))
  const added = set.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  return { path: request.path, query: [...kept, ...added].join('&') }
}

function pageHeaders(headers: Record<string, string>): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !OF_ONE_RESPONSE.includes(name))
  const gzip = /\bgzip\b/.test(headers['accept-encoding'] ?? '') ? 'gzip' : 'identity'
  return { ...Object.fromEntries(kept), 'accept-encoding': gzip }
}

async function fetchPage(
  deps: ProxyDeps,
  targets: Targets,
  out: Outgoing,
  notes: CallNotes,
  course: { path: string; query: string },
  request: PageRequest,
): Promise<PageText> {
  const where = whereOf(request, 'query' in out.where ? out.where.query : '')
  for (let attempt = 1; ; attempt += 1) {
    await acquire(deps, out.target, { purpose: 'person', maxWaitMs: MAX_PAUSE_MS, until: out.hangup })
    const opened = await open(deps, targets, { ...out, where }, notes)
    if (opened.status === 200) {
      const page = await readPage(deps, out.target, course, request, opened, out.hangup)
      if (page !== undefined) return page
      throw broken('a page has another shape than the first')
    }
    discard(opened)
    const waitMs = retryAfterMs(joinedHeaders(opened.headers), deps.clock.now()) ?? 500 * 2 ** attempt
    const soon = (opened.status === 429 || opened.status >= 500) && waitMs <= MAX_PAUSE_MS && attempt < TRIES
    if (!soon) throw broken(`a page was answered with ${opened.status}`)
    notes.retried = true
    await sleep(waitMs, undefined, { signal: out.hangup.signal })
  }
}

async function readPage(
  deps: ProxyDeps,
  { connector: { service } }: Target,
  where: { path: string; query: string },
  request: PageRequest,
  opened: Opened,
  hangup: Hangup,
): Promise<PageText | undefined> {
  const bytes = await takeRaw(opened, hangup).catch((error: unknown) => {
    throw broken('a page could not be read', error)
  })
  const headers = joinedHeaders(opened.headers)
  const page = { service, ...where, request, url: opened.url, headers, bytes }
  return (deps.readPage ?? ((given) => parsePage(deps, given)))(page, hangup.signal)
}

/** As it came, not decoded: whoever parses it does that too. */
async function takeRaw({ body }: Opened, hangup: Hangup): Promise<Uint8Array> {
  return Buffer.isBuffer(body) ? body : readLimited(body, { maxBytes: MAX_PAGE_BYTES, signal: hangup.signal })
}

async function* written(first: PageText, fetch: (request: PageRequest) => Promise<PageText>): AsyncGenerator<string> {
  const asked = new Set<string>()
  let before = '['
  for (let page = first; ; ) {
    if (page.items !== '') {
      yield before + page.items
      before = ','
    }
    if (page.next === undefined) break
    const name = JSON.stringify(page.next)
    if (asked.has(name) || asked.size >= MAX_PAGES) throw broken('the pages lead in circles')
    asked.add(name)
    page = await fetch(page.next)
  }
  yield before === '[' ? '[]' : ']'
}

const cannot = (why: string, cause?: unknown): ApiError => new ApiError('bad_parameter', `paginate: ${why}`, { cause })

const broken = (what: string, cause?: unknown): UpstreamError =>
  new UpstreamError('retry', `The walk over the pages ended: ${what}.`, { reason: 'walk_broken', cause })
