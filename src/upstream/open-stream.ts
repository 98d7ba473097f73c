import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { Egress } from '#platform/egress/guard.ts'
import type { Hangup } from '#platform/hangup.ts'

/** A call whose body, or whose answer's body, is passed on as it comes. */
export interface StreamRequest {
  method: string
  url: string
  headers?: Readonly<Record<string, string>> | undefined
  body?: string | Uint8Array | AsyncIterable<Uint8Array> | undefined
  hangup?: Hangup | undefined
  /** From the last byte sent to the end of the answer's headers. */
  headersTimeoutMs?: number | undefined
  /** Between two pieces of the answer's body. */
  idleTimeoutMs?: number | undefined
}

export interface StreamResponse {
  status: number
  /** As they came: names in lower case, repeated ones as a list. */
  headers: NodeJS.Dict<string | string[]>
  /** Not decoded. What is short is there as a whole; the rest is not limited, and somebody else reads it or discards it. */
  body: Buffer | Readable
}

/** An answer that says to be this short is waited for: it costs less than a stream, and when it breaks off nobody has seen half of it. */
const SHORT_BYTES = 16 * 1024
/**
 * Limit: bytes read of a body that nobody wants, so that its connection can be used again; beyond, the connection is
 * closed.
 */
const MAX_DISCARDED_BYTES = 64 * 1024

/** Resolves when the answer's headers are there, and a short answer's body. */
export function openStream(egress: Egress, request: StreamRequest): Promise<StreamResponse> {
  return new Promise((resolve, reject) => {
    const url = egress.check(request.url)
    egress.dispatcher.dispatch(
      {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: request.method,
        headers: { 'user-agent': 'Tributary', ...lowered(request.headers ?? {}) },
        body: (request.body ?? null) as Readable | null,
        headersTimeout: request.headersTimeoutMs ?? null,
        bodyTimeout: request.idleTimeoutMs ?? null,
      },
      new RespondingStream(resolve, reject, request.hangup),
    )
  })
}

/** Reads the rest of a short answer, so that its connection serves again; a long one is cut. */
export function discard({ body }: StreamResponse): void {
  if (Buffer.isBuffer(body)) return
  let left = MAX_DISCARDED_BYTES
  body.on('data', (piece: Buffer) => {
    left -= piece.length
    if (left < 0) body.destroy()
  })
}

export function lowered(headers: Readonly<Record<string, string>>): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const name in headers) plain[name.toLowerCase()] = headers[name]!
  return plain
}

/** Hears from the client what comes, and makes an answer of it. */
class RespondingStream implements Dispatcher.DispatchHandler {
  readonly #resolve: (response: StreamResponse) => void
  readonly #reject: (error: Error) => void
  readonly #hangup: Hangup | undefined
  readonly #pieces: Buffer[] = []
  #status = 0
  #headers: StreamResponse['headers'] = {}
  #flowing: Flowing | undefined

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
    this.#flowing = new Flowing(controller)
    this.#resolve({ status, headers, body: this.#flowing })
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#flowing === undefined) this.#pieces.push(piece)
    else if (!this.#flowing.push(piece)) controller.pause()
  }

  onResponseEnd(): void {
    const pieces = this.#pieces
    if (this.#flowing !== undefined) this.#flowing.finish()
    else {
      const body = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
      this.#resolve({ status: this.#status, headers: this.#headers, body })
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#flowing === undefined) this.#reject(error)
    else this.#flowing.destroy(error)
  }
}

/** A body on its way. Whoever ends it early ends the call. */
class Flowing extends Readable {
  readonly #controller: Dispatcher.DispatchController
  #finished = false

  constructor(controller: Dispatcher.DispatchController) {
    super()
    this.#controller = controller
    // Whoever reads sees the close; an error that comes before anybody reads must not end the process.
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
    if (!this.#finished) this.#controller.abort(error ?? new Error('Nobody reads on'))
    done(error)
  }
}
