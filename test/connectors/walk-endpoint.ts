import assert from 'node:assert/strict'
import type { Watermark } from '#kit/checkpoint.ts'
import type { Endpoint } from '#kit/endpoint.ts'
import type { PageRequest } from '#kit/pages.ts'
import { localId } from '#kit/server-native-id.ts'
import { grantedScopes } from '#model/profile.ts'
import { parseLossless } from '#upstream/body/lossless-json.ts'
import { callService } from '#upstream/call-service.ts'
import type { Fixture } from './fixture.ts'

export interface Walked {
  records: unknown[]
  /** The body of the first page. */
  response: unknown
  /** The watermark after the walk, as stored for the next one. */
  watermark: Watermark | undefined
}

const MAX_PAGES = 400

/** Reads all pages of an endpoint as a sync does, and fails if there are too many. */
export async function walkEndpoint(fixture: Fixture, endpoint: Endpoint, from?: Watermark): Promise<Walked> {
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
  { self, nowMs, caller }: Fixture,
  endpoint: Endpoint,
  watermark: Watermark | undefined,
): PageRequest {
  const fill = (text: string, encode: (value: string) => string) =>
    text
      .replaceAll('{id}', () => encode(localId(caller.connector.auth, self.id)))
      .replaceAll('{handle}', () => encode(self.handle ?? ''))
  const query = { ...endpoint.query, ...(watermark === undefined ? {} : endpoint.checkpoint?.query(watermark)) }
  const request: PageRequest = {
    method: endpoint.method,
    path: fill(endpoint.path, encodeURIComponent),
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, fill(value, String)])),
    headers: endpoint.headers,
  }
  return (
    endpoint.prepare?.(request, { nowMs: nowMs(), watermark, granted: grantedScopes(caller.credential) }) ?? request
  )
}

async function ask(
  { caller }: Fixture,
  request: PageRequest,
): Promise<{ body: unknown; headers: Record<string, string> }> {
  const { path, ...rest } = request
  const where = /^https?:/i.test(path) ? { url: path } : { path }
  const { status, text, headers } = await callService(caller, { ...rest, ...where })
  assert.equal(status, 200, `${request.method} ${path} answered ${status}: ${text.slice(0, 300)}`)
  const body = parseLossless(text, 1000)
  const { recovery } = caller.connector.api
  assert.equal(recovery?.({ status, body, headers }), undefined, 'a good response was classified as a failure')
  return { body, headers }
}
