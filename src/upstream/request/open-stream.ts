import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { Egress } from '#platform/egress/guard.ts'
import type { Trust } from '#platform/egress/trust.ts'
import type { Hangup } from '#platform/waiting/hangup.ts'

/** A call whose request and response bodies may be streamed. */
export interface StreamRequest {
  method: string
  url: string
  /** Who chose the address; that of a service is in its `ServiceLocation`. */
  trust: Trust
  headers?: Readonly<Record<string, string>> | undefined
  body?: string | Uint8Array | AsyncIterable<Uint8Array> | undefined
  hangup?: Hangup | undefined
  /** From the last byte sent to the end of the response headers. */
  headersTimeoutMs?: number | undefined
  /** Between two chunks of the response body. */
  idleTimeoutMs?: number | undefined
}

export interface StreamResponse {
  status: number
  /** As received: names in lower case, repeated ones as a list. */
  headers: NodeJS.Dict<string | string[]>
  /** Not decoded. A short body is buffered; a stream has no size limit, and the caller must read or discard it. */
  body: Buffer | Readable
}

/**
 * A response with at most this Content-Length is buffered: cheaper than a stream, and if it is interrupted, nothing was
 * passed on.
 */
const SHORT_BYTES = 16 * 1024
/**
 * Limit: bytes that are read of a discarded body, so that its connection can be reused; beyond it, the connection is
 * closed.
 */
const MAX_DISCARDED_BYTES = 64 * 1024

/** Resolves with the response headers and, if it is short, the body. */
export function openStream(egress: Egress, request: StreamRequest): Promise<StreamResponse> {
  return new Promise((resolve, reject) => {
    const url = egress.check(request.url)
    egress.dispatcher.dispatch(
      {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: request.method,
        headers: lowerCaseNames(request.headers ?? {}, { 'user-agent': 'Tributary' }),
        body: (request.body ?? null) as Readable | null,
        headersTimeout: request.headersTimeoutMs ?? null,
        bodyTimeout: request.idleTimeoutMs ?? null,
      },
      new ResponseHandler(resolve, reject, request.hangup),
    )
  })
}

/** Reads the rest of a short response, so that its connection can be reused; closes the connection of a long one. */
export function discard({ body }: StreamResponse): void {
  if (Buffer.isBuffer(body)) return
  let left = MAX_DISCARDED_BYTES
  body.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) body.destroy()
  })
}

/** They replace those of `plain`. */
export function lowerCaseNames(
  headers: Readonly<Record<string, string>>,
  plain: Record<string, string> = {},
): Record<string, string> {
  for (const name in headers) plain[name.toLowerCase()] = headers[name]!
  return plain
}

/** Builds a response from the events of the HTTP client. */
class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #resolve: (response: StreamResponse) => void
  readonly #reject: (error: Error) => void
  readonly #hangup: Hangup | undefined
  readonly #chunks: Buffer[] = []
  #status = 0
  #headers: StreamResponse['headers'] = {}
  #flowing: StreamedBody | undefined

  constructor(resolve: (response: StreamResponse) => void, reject: (error: Error) => void, hangup: Hangup | undefined) {
    this.#resolve = resolve
    this.#reject = reject
    this.#hangup = hangup
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#hangup?.listen(() => controller.abort(new Error('The caller has left')))
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: StreamResponse['headers']): void {
    if (status < 200) return
    this.#status = status
    this.#headers = headers
    if (Number(headers['content-length']) <= SHORT_BYTES) return
    this.#flowing = new StreamedBody(controller)
    this.#resolve({ status, headers, body: this.#flowing })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#flowing === undefined) this.#chunks.push(chunk)
    else if (!this.#flowing.push(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    const chunks = this.#chunks
    if (this.#flowing !== undefined) this.#flowing.finish()
    else {
      const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      this.#resolve({ status: this.#status, headers: this.#headers, body })
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#flowing === undefined) this.#reject(error)
    else this.#flowing.destroy(error)
  }
}

/** A streamed response body. Destroying it early aborts the call. */
class StreamedBody extends Readable {
  readonly #controller: Dispatcher.DispatchController
  #finished = false

  constructor(controller: Dispatcher.DispatchController) {
    super()
    this.#controller = controller
    // The reader sees the close; an error before anything is read must not end the process.
    this.on('error', () => {})
  }

  finish(): void {
    this.#finished = true
    this.push(null)
  }

  override _read(): void {
    this.#controller.resume()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.#finished) this.#controller.abort(error ?? new Error('The response is no longer read'))
    done(error)
  }
}
