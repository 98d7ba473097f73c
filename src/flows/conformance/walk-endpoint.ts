import assert from 'node:assert/strict'
import { localIdOf } from '#kit/auth/ask.ts'
import type { Self } from '#kit/auth/self.ts'
import { localId } from '#kit/auth/server-native-id.ts'
import type { Watermark } from '#kit/endpoints/checkpoint.ts'
import type { Computed } from '#kit/endpoints/computed-records.ts'
import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import { forParents } from '#kit/endpoints/for-parents.ts'
import type { PageRequest } from '#kit/endpoints/pages.ts'
import { plainRequest } from '#kit/endpoints/plain-request.ts'
import { horizonOf } from '#kit/ical/series.ts'
import { grantedScopes } from '#model/accounts/profile.ts'
import { type LosslessJson, stringifyLossless } from '#upstream/body/lossless-json.ts'
import { readBody } from '#upstream/body/read-body.ts'
import { callService, type ServiceCaller } from '#upstream/call/call-service.ts'

/** A running service, and a person who is signed in there. */
export interface WalkSubject {
  caller: ServiceCaller
  self: Self
  nowMs: () => number
}

export interface Walked {
  records: unknown[]
  /** The body of the first page. */
  response: unknown
  /** The watermark after the walk, as stored for the next one. */
  watermark: Watermark | undefined
}

/** Limit: pages of one endpoint that a check of a connector reads; a simulator with more is taken to repeat itself. */
const MAX_PAGES = 400

/** Limit: parents of a child endpoint that a check of a connector reads; a few are enough to see how its records are read. */
const MAX_PARENTS = 5

/** Reads all pages of an endpoint as a sync does, and fails if there are too many; of a child endpoint, for some parents. */
export async function walkEndpoint(fixture: WalkSubject, endpoint: Endpoint, from?: Watermark): Promise<Walked> {
  if (endpoint.computed !== undefined) return walkComputed(fixture, endpoint.computed)
  if (endpoint.children === undefined) return walkPages(fixture, endpoint, from)
  const { each, where, batch } = endpoint.children
  const parent = fixture.caller.connector.endpoints[each]!
  const { records } = await walkEndpoint(fixture, parent)
  const parents = records
    .filter((record) => where?.(record, { id: fixture.self.id }) ?? true)
    .slice(0, MAX_PARENTS)
    .map((record) => ({ nativeId: String(parent.kind.id(record)), record }))
  const units = batch === undefined ? parents.map((one) => [one]) : [parents]
  const walked: Walked[] = []
  for (const unit of units) walked.push(await walkPages(fixture, forParents(endpoint, unit)))
  // Each parent has a watermark of its own.
  return { records: walked.flatMap((one) => one.records), response: walked[0]?.response, watermark: undefined }
}

/** Computes the records from those of the other endpoint, as if they were stored. */
async function walkComputed(fixture: WalkSubject, { from, compute, relatedBy }: Computed): Promise<Walked> {
  const { records: sources } = await walkEndpoint(fixture, fixture.caller.connector.endpoints[from]!)
  const horizon = horizonOf(fixture.nowMs())
  const records = sources.flatMap((source) => {
    const text = relatedBy?.(source)
    const related =
      text === undefined ? [] : sources.filter((one) => stringifyLossless(one as LosslessJson).includes(text))
    return compute(source, related, horizon)
  })
  return { records, response: { records }, watermark: undefined }
}

async function walkPages(fixture: WalkSubject, endpoint: Endpoint, from?: Watermark): Promise<Walked> {
  const { checkpoint, pages } = endpoint
  const asked = new Set<string>()
  const records: unknown[] = []
  let watermark = from
  let response: unknown
  let request: PageRequest | undefined = pages.first(firstRequest(fixture, endpoint, from))
  while (request !== undefined) {
    const spelled = JSON.stringify(request)
    assert.ok(!asked.has(spelled), `the same page was asked for twice: ${spelled}`)
    asked.add(spelled)
    assert.ok(asked.size <= MAX_PAGES, `no end after ${MAX_PAGES} pages`)
    const { body, headers } = await ask(fixture, request)
    response ??= structuredClone(body)
    const items = endpoint.items(body) ?? []
    records.push(...items)
    watermark = checkpoint?.advance({ items, body }, watermark)
    const isKnown = checkpoint?.isKnown
    if (from !== undefined && isKnown && items.length > 0 && items.every((raw) => isKnown(raw, from))) break
    request = pages.next({ request, body, headers, count: items.length })
  }
  return { records, response, watermark }
}

function firstRequest(
  { self, nowMs, caller }: WalkSubject,
  endpoint: Endpoint,
  watermark: Watermark | undefined,
): PageRequest {
  const { connector } = caller
  const nativeId = localId(connector.auth, localIdOf(connector, self.id))
  const request = plainRequest(endpoint, { nativeId, person: self }, watermark)
  return (
    endpoint.prepare?.(request, { nowMs: nowMs(), watermark, granted: grantedScopes(caller.credential) }) ?? request
  )
}

async function ask(
  { caller }: WalkSubject,
  request: PageRequest,
): Promise<{ body: unknown; headers: Record<string, string> }> {
  const { path, parse: _, ...rest } = request
  const where = /^https?:/i.test(path) ? { url: path } : { path }
  const { status, text, headers } = await callService(caller, { ...rest, ...where })
  // 207: several results, as WebDAV has them.
  assert.ok(status === 200 || status === 207, `${request.method} ${path} answered ${status}: ${text.slice(0, 300)}`)
  const body = readBody(text, request.parse ?? 'json', 1000)
  const { recovery } = caller.connector.api
  assert.equal(recovery?.({ status, body, headers }), undefined, 'a good response was classified as a failure')
  return { body, headers }
}
