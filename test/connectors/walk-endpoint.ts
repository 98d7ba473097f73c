import assert from 'node:assert/strict'
import type { Mark } from '#kit/checkpoint.ts'
import type { Endpoint } from '#kit/endpoint.ts'
import type { PageRequest } from '#kit/pages.ts'
import { parseLossless } from '#upstream/body/lossless-json.ts'
import { callService } from '#upstream/call-service.ts'
import type { Ground } from './fixture.ts'

export interface Walked {
  records: unknown[]
  /** What the first page was cut from. */
  answer: unknown
  /** How far the walk got, as it would be kept for the next one. */
  mark: Mark | undefined
}

const MOST_PAGES = 400

/** Reads an endpoint from its first page to its last, as a sync does, and fails when it comes to no end. */
export async function walkEndpoint(ground: Ground, endpoint: Endpoint, from?: Mark): Promise<Walked> {
  const { checkpoint, pages } = endpoint
  const asked = new Set<string>()
  const records: unknown[] = []
  let mark = from
  let answer: unknown
  let request: PageRequest | undefined = pages.first(firstRequest(ground, endpoint, from))
  while (request !== undefined) {
    const spelled = JSON.stringify(request)
    assert.ok(!asked.has(spelled), `the same page was asked for twice: ${spelled}`)
    asked.add(spelled)
    assert.ok(asked.size <= MOST_PAGES, `no end after ${MOST_PAGES} pages`)
    const { body, headers } = await ask(ground, request)
    answer ??= structuredClone(body)
    const items = endpoint.items(body) ?? []
    records.push(...items)
    mark = checkpoint?.advance({ items, body }, mark)
    const isKnown = checkpoint?.isKnown
    if (from !== undefined && isKnown && items.length > 0 && items.every((raw) => isKnown(raw, from))) break
    request = pages.next({ request, body, headers, count: items.length })
  }
  return { records, answer, mark }
}

function firstRequest({ self, nowMs }: Ground, endpoint: Endpoint, mark: Mark | undefined): PageRequest {
  const fill = (text: string, encode: (value: string) => string) =>
    text.replaceAll('{id}', () => encode(self.id)).replaceAll('{handle}', () => encode(self.handle ?? ''))
  const query = { ...endpoint.query, ...(mark === undefined ? {} : endpoint.checkpoint?.query(mark)) }
  const request: PageRequest = {
    method: endpoint.method,
    path: fill(endpoint.path, encodeURIComponent),
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, fill(value, String)])),
    headers: endpoint.headers,
  }
  return endpoint.prepare?.(request, { nowMs: nowMs(), mark }) ?? request
}

async function ask(
  { caller }: Ground,
  request: PageRequest,
): Promise<{ body: unknown; headers: Record<string, string> }> {
  const { path, ...rest } = request
  const where = /^https?:/i.test(path) ? { url: path } : { path }
  const { status, text, headers } = await callService(caller, { ...rest, ...where })
  assert.equal(status, 200, `${request.method} ${path} answered ${status}: ${text.slice(0, 300)}`)
  const body = parseLossless(text, 1000)
  const { recovery } = caller.connector.api
  assert.equal(recovery?.({ status, body, headers }), undefined, 'a good answer was taken for a failure')
  return { body, headers }
}
