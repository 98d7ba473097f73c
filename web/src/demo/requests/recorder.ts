import { type AccountClient, createAccount } from '@tributary-hub/client/account.ts'
import { createTransport } from '@tributary-hub/client/transport.ts'

/** A request as it was sent, and what came back. */
export interface SentRequest {
  id: number
  method: string
  /** Path and query. */
  path: string
  headers: Record<string, string>
  body: string | undefined
  /** The line of code that sent it. */
  code: string
  /** Missing while it is under way, and after a connection that failed. */
  response?: { status: number; ms: number; bytes: number; text: string; isStream: boolean }
}

export interface Recorder {
  /** The SDK with this token; each request is recorded with the line of code. */
  account: (code: string) => AccountClient
  sent: () => readonly SentRequest[]
  subscribe: (listener: () => void) => () => void
}

/** Limit: requests that are kept to be shown. */
const MAX_KEPT = 8
const RETRIES = 1
/** The browser adds more; these are what the SDK sends. */
const SHOWN_HEADERS = ['authorization', 'accept', 'content-type']

/** Records what one panel sends, by a `fetch` that the SDK is given. */
export function createRecorder(token: string): Recorder {
  let sent: readonly SentRequest[] = []
  let count = 0
  const listeners = new Set<() => void>()
  const publish = (next: readonly SentRequest[]) => {
    sent = next
    for (const listener of listeners) listener()
  }

  const recorded = async (code: string, input: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers)
    const { pathname, search } = new URL(input)
    const request: SentRequest = {
      id: (count += 1),
      method: init.method ?? 'GET',
      path: pathname + search,
      headers: Object.fromEntries(
        SHOWN_HEADERS.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)!]] : [])),
      ),
      body: typeof init.body === 'string' ? init.body : undefined,
      code,
    }
    const startedAt = performance.now()
    const response = await fetch(input, init)
    // A stream is shown by its request only; it may last for minutes.
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    const text = isStream ? '' : await response.text()
    const { status, statusText } = response
    const answer = {
      status,
      ms: performance.now() - startedAt,
      bytes: new TextEncoder().encode(text).length,
      text,
      isStream,
    }
    publish([{ ...request, response: answer }, ...sent.filter((each) => !isRepeated(each, request))].slice(0, MAX_KEPT))
    if (isStream) return response
    return new Response([204, 304].includes(status) ? null : text, { status, statusText, headers: response.headers })
  }

  return {
    account: (code) => {
      const send = (input: unknown, init: RequestInit = {}) => recorded(code, String(input), init)
      return createAccount(createTransport({ baseUrl: location.origin, retries: RETRIES, fetch: send }), token)
    },
    sent: () => sent,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** A request that is sent again and again is shown once. */
const isRepeated = (one: SentRequest, other: SentRequest) =>
  one.method === other.method && one.path === other.path && one.headers['accept'] === other.headers['accept']
