import { ConnectionError, errorOf, TimeoutError, type TributaryError } from './errors.ts'

/** What every request may be given. */
export interface RequestOptions {
  signal?: AbortSignal | undefined
  /** For one attempt, until the response is read; of a stream, until it begins. */
  timeoutMs?: number | undefined
  /** Attempts after the first one. */
  retries?: number | undefined
  /** Repeating a creating request with the same key has the effect of one request. Default: a random key. */
  idempotencyKey?: string | undefined
  headers?: Record<string, string> | undefined
}

export interface TransportOptions {
  /** The address of the server. */
  baseUrl: string
  /** Default: the global `fetch`. */
  fetch?: typeof fetch | undefined
  /** Default: 60 seconds. */
  timeoutMs?: number | undefined
  /** Default: 3. */
  retries?: number | undefined
  /** The longest wait that `Retry-After` may ask for; beyond it, the error is thrown at once. Default: 60 seconds. */
  maxRetryAfterMs?: number | undefined
  /** The first wait is random, up to this; each following one up to twice the one before. Default: 500 ms. */
  retryBaseMs?: number | undefined
  /** Reads JSON. `JSON.parse` rounds integers beyond 2^53, which records of services may contain. */
  parseJson?: ((text: string) => unknown) | undefined
}

/** Whether a request may be sent again: after any failure, or only when the server says that it did nothing. */
export type Repeatable = 'always' | 'refused'

export interface Outgoing extends RequestOptions {
  method: string
  /** Below the base address, with a leading slash. */
  path: string
  query?: string
  body?: RequestInit['body'] | undefined
  /** The `Authorization` header. */
  authorization?: string | undefined
  repeatable: Repeatable
  /** The body of the response is read by the caller. */
  isStream?: boolean
  redirect?: RequestInit['redirect']
  /** Responses that are the caller's, whatever their status. */
  accepts?: (response: Response) => boolean
}

export interface Transport {
  baseUrl: string
  parseJson: (text: string) => unknown
  /** Sends a request, again where that is safe. Throws for every response that is not a success. */
  send: (outgoing: Outgoing) => Promise<Response>
}

/** Limit: the longest random wait between two attempts. */
const MAX_BACKOFF_MS = 20_000
const RETRIED_STATUSES = [408, 429, 502, 503, 504]
/** The request was not processed, so that sending it again is safe even if it creates something. */
const REFUSED_STATUSES = [429]

export function createTransport(options: TransportOptions): Transport {
  const baseUrl = options.baseUrl.replace(/\/+$/, '')
  const settings = {
    // Called without a receiver: browsers refuse `fetch` as a method of another object.
    fetch: options.fetch ?? ((input: string | URL | Request, init?: RequestInit) => fetch(input, init)),
    timeoutMs: options.timeoutMs ?? 60_000,
    retries: options.retries ?? 3,
    maxRetryAfterMs: options.maxRetryAfterMs ?? 60_000,
    retryBaseMs: options.retryBaseMs ?? 500,
  }
  if (!/^https?:\/\//.test(baseUrl)) throw new TypeError(`baseUrl must be an http or https address: ${baseUrl}`)
  return {
    baseUrl,
    parseJson: options.parseJson ?? JSON.parse,
    send: async (outgoing) => {
      const retries = outgoing.retries ?? settings.retries
      for (let attempt = 0; ; attempt += 1) {
        const outcome = await attemptOnce(baseUrl, settings, outgoing)
        if (outcome instanceof Response) return outcome
        const waitMs = attempt < retries ? waitBefore(outcome, attempt, outgoing.repeatable, settings) : undefined
        if (waitMs === undefined) throw outcome
        await sleep(waitMs, outgoing.signal)
      }
    },
  }
}

type Settings = Required<Pick<TransportOptions, 'fetch' | 'timeoutMs' | 'maxRetryAfterMs' | 'retryBaseMs'>> & {
  fetch: typeof fetch
  timeoutMs: number
  maxRetryAfterMs: number
  retryBaseMs: number
}
type Failure = TributaryError | ConnectionError | TimeoutError

async function attemptOnce(baseUrl: string, settings: Settings, outgoing: Outgoing): Promise<Response | Failure> {
  const { signal, method, path, query = '', authorization, idempotencyKey, body } = outgoing
  signal?.throwIfAborted()
  const timeoutMs = outgoing.timeoutMs ?? settings.timeoutMs
  const ended = new AbortController()
  const timeout = new TimeoutError(`No response to ${method} ${path} within ${timeoutMs} ms`)
  const timer = setTimeout(() => ended.abort(timeout), timeoutMs)
  const abort = () => ended.abort(signal?.reason)
  signal?.addEventListener('abort', abort)
  let isOpen = false
  try {
    const headers = new Headers(outgoing.headers)
    if (authorization !== undefined) headers.set('authorization', authorization)
    if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey)
    const response = await settings.fetch(`${baseUrl}${path}${query}`, {
      method,
      headers,
      signal: ended.signal,
      redirect: outgoing.redirect ?? 'follow',
      ...(body === undefined ? {} : { body }),
      // A stream as a body needs it; without one, `duplex` has no meaning.
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
    })
    if (!(response.ok || response.status === 304 || outgoing.accepts?.(response) === true))
      return await errorOf(response)
    isOpen = outgoing.isStream === true
    if (isOpen) return response
    // Read here, so that the timeout and the retries include the body.
    const text = await response.text()
    const { status, statusText, headers: received } = response
    return new Response([204, 205, 304].includes(status) ? null : text, { status, statusText, headers: received })
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason
    if (error === timeout || ended.signal.reason === timeout) return timeout
    return new ConnectionError(`${method} ${path}: the connection failed`, { cause: error })
  } finally {
    clearTimeout(timer)
    // The signal of the caller also ends a stream that is read later.
    if (!isOpen) signal?.removeEventListener('abort', abort)
  }
}

/** How long to wait before the next attempt; undefined if there must be none. */
function waitBefore(
  failure: Failure,
  attempt: number,
  repeatable: Repeatable,
  { retryBaseMs, maxRetryAfterMs }: Settings,
): number | undefined {
  const status = 'status' in failure ? failure.status : undefined
  const reason: string | undefined = 'reason' in failure ? failure.reason : undefined
  // The same request is still running, under the same key.
  const isInProgress = reason === 'idempotency_in_progress'
  const statuses = repeatable === 'always' ? RETRIED_STATUSES : REFUSED_STATUSES
  if (status === undefined ? repeatable !== 'always' : !isInProgress && !statuses.includes(status)) return undefined
  // Full jitter, so that clients which failed together do not come back together.
  const jitterMs = Math.random() * Math.min(MAX_BACKOFF_MS, retryBaseMs * 2 ** attempt)
  const retryAfterMs = 'retryAfterMs' in failure ? failure.retryAfterMs : undefined
  if (retryAfterMs === undefined) return jitterMs
  return retryAfterMs > maxRetryAfterMs ? undefined : retryAfterMs + jitterMs
}

/** Waits; rejects with the signal's reason when it is aborted. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
