import { text } from 'node:stream/consumers'
import type { Dispatcher } from 'undici'
import type { KindDeps } from './contract.ts'

/** Limit: interim responses (1xx) to one request of ours. More fail the request. */
const MAX_INTERIM_RESPONSES = 20

interface BoundedRequest {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  url: URL | string
  headers: Record<string, string>
  body: Uint8Array | string | null
  /** Timeout of the whole request: connecting, and the head and body of the response. */
  waitMs: number
  signal?: AbortSignal
}

export interface BoundedResponse {
  status: number
  headers: Record<string, string>
  /** Raw bytes, not decoded. Must be read or dumped, or the connection stays in use. */
  body: Dispatcher.ResponseData['body']
}

/** Sends one request through the egress guard; redirects are not followed. */
export async function requestOnce({ egress }: KindDeps, request: BoundedRequest): Promise<BoundedResponse> {
  const target = egress.check(request.url)
  const tooManyInterim = new AbortController()
  let interim = 0
  const signals = [
    AbortSignal.timeout(request.waitMs),
    tooManyInterim.signal,
    ...(request.signal ? [request.signal] : []),
  ]
  const { statusCode, headers, body } = await egress.dispatcher.request({
    origin: target.origin,
    path: target.pathname + target.search,
    method: request.method,
    headers: request.headers,
    body: request.body,
    signal: AbortSignal.any(signals),
    onInfo: () => {
      interim += 1
      if (interim > MAX_INTERIM_RESPONSES) tooManyInterim.abort(new Error('sent too many interim responses'))
    },
  })
  const joined = Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')])
  return { status: statusCode, headers: Object.fromEntries(joined), body }
}

/** The body of a response as text; throws when it has more than `maxBytes`. */
export function boundedText({ body }: BoundedResponse, maxBytes: number): Promise<string> {
  return text(limited(body, maxBytes))
}

async function* limited(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error('The server sent far more than it was asked for')
    yield chunk
  }
}
