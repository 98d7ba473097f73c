import type { Dispatcher } from 'undici'
import type { KindDeps } from './contract.ts'

/** Limit: interim responses (1xx) to one request of ours. More fail the request. */
const MAX_INTERIM_RESPONSES = 20

interface Asked {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  url: URL | string
  headers: Record<string, string>
  body: Uint8Array | string | null
  /** For the whole request: connecting, the head and the body of the response. */
  waitMs: number
  signal?: AbortSignal
}

export interface Responded {
  status: number
  headers: Record<string, string>
  /** Bytes as they came: nothing is decoded. To be read or dumped, never left. */
  body: Dispatcher.ResponseData['body']
}

/** One request through the guard; redirects are not followed. */
export async function requestOnce({ egress }: KindDeps, asked: Asked): Promise<Responded> {
  const target = egress.check(asked.url)
  const flooded = new AbortController()
  let interim = 0
  const signals = [AbortSignal.timeout(asked.waitMs), flooded.signal, ...(asked.signal ? [asked.signal] : [])]
  const { statusCode, headers, body } = await egress.dispatcher.request({
    origin: target.origin,
    path: target.pathname + target.search,
    method: asked.method,
    headers: asked.headers,
    body: asked.body,
    signal: AbortSignal.any(signals),
    onInfo: () => {
      interim += 1
      if (interim > MAX_INTERIM_RESPONSES) flooded.abort(new Error('sent too many interim responses'))
    },
  })
  const plain = Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')])
  return { status: statusCode, headers: Object.fromEntries(plain), body }
}
