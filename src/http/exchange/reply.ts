import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { finished, type Readable } from 'node:stream'
import type { HttpRequest } from './request.ts'

/** What is sent: text, bytes, a stream, or no body. */
export type Content = string | Buffer | Readable | undefined

/** What a server does about every response. */
export interface Sending {
  /** Before the headers are written. */
  onSend(request: HttpRequest, reply: HttpReply, content: Content): void
  /** Sends the response for an error. */
  onError(error: unknown, request: HttpRequest, reply: HttpReply): void
}

/** What a route does before its response is written. */
export type Delay = (request: HttpRequest, reply: HttpReply, content: Content) => Promise<void>

const JSON_TYPE = 'application/json; charset=utf-8'

/** The response to one request. Only the first `send` counts. */
export class HttpReply {
  readonly raw: ServerResponse
  readonly request: HttpRequest
  readonly #sending: Sending
  readonly #delay: Delay | undefined
  readonly #beganMs = performance.now()
  readonly #headers: Record<string, string | number | string[]> = {}
  #isSent = false
  #hasFailed = false

  constructor(raw: ServerResponse, request: HttpRequest, sending: Sending, delay?: Delay) {
    this.raw = raw
    this.request = request
    this.#sending = sending
    this.#delay = delay
  }

  /** True when `send` was called, or the response is written to `raw`. */
  get sent(): boolean {
    return this.#isSent
  }

  get statusCode(): number {
    return this.raw.statusCode
  }

  get elapsedTime(): number {
    return performance.now() - this.#beganMs
  }

  code(status: number): this {
    this.raw.statusCode = status
    return this
  }

  /** Cookies are added to those before; other headers replace. */
  header(name: string, value: string | number | string[]): this {
    const key = name.toLowerCase()
    const known = this.#headers[key]
    this.#headers[key] = key === 'set-cookie' && known !== undefined ? [known, value].flat().map(String) : value
    return this
  }

  headers(headers: Record<string, string | number | string[]>): this {
    for (const name in headers) this.header(name, headers[name]!)
    return this
  }

  type(type: string): this {
    this.#headers['content-type'] = type
    return this
  }

  getHeader(name: string): string | number | string[] | undefined {
    return this.#headers[name.toLowerCase()]
  }

  hasHeader(name: string): boolean {
    return this.getHeader(name) !== undefined
  }

  removeHeader(name: string): void {
    delete this.#headers[name.toLowerCase()]
  }

  /** The headers so far, for a response that is written to `raw`. */
  getHeaders(): OutgoingHttpHeaders {
    return { ...this.raw.getHeaders(), ...this.#headers }
  }

  /** Leaves the response to the caller, who writes it to `raw`. */
  hijack(): this {
    this.#isSent = true
    return this
  }

  /** Sends text, bytes and streams as they are, nothing for undefined, and other values as JSON. */
  send(payload?: unknown): this {
    if (this.#isSent) return this
    this.#isSent = true
    try {
      const content = this.#contentOf(payload)
      this.#sending.onSend(this.request, this, content)
      const delayed = this.#delay?.(this.request, this, content)
      if (delayed === undefined) this.#write(content)
      else delayed.then(() => this.#write(content)).catch((error: unknown) => this.#refuse(error))
    } catch (error) {
      this.#refuse(error)
    }
    return this
  }

  /** Responds with an error, unless there is a response. */
  fail(error: unknown): void {
    if (!this.#isSent) this.#refuse(error)
  }

  #refuse(error: unknown): void {
    this.#isSent = true
    if (this.#hasFailed) {
      // The response for an error failed too: half of one must not look whole.
      if (this.raw.headersSent) this.raw.destroy()
      else this.raw.writeHead(500, { 'content-length': 0 }).end()
      return
    }
    this.#hasFailed = true
    this.#isSent = false
    this.removeHeader('content-type')
    this.removeHeader('content-length')
    try {
      this.#sending.onError(error, this.request, this)
    } catch (cause) {
      this.#refuse(cause)
    }
  }

  #contentOf(payload: unknown): Content {
    if (payload === undefined || isStream(payload)) return payload
    const headers = this.#headers
    const type = headers['content-type']
    if (Buffer.isBuffer(payload)) {
      headers['content-type'] ??= 'application/octet-stream'
      return payload
    }
    if (type === undefined)
      headers['content-type'] = typeof payload === 'string' ? 'text/plain; charset=utf-8' : JSON_TYPE
    else if (type !== JSON_TYPE && /json/i.test(String(type)) && !/;\s*charset=/i.test(String(type)))
      headers['content-type'] = `${String(type)}; charset=utf-8`
    return typeof payload === 'string' ? payload : JSON.stringify(payload)
  }

  #write(content: Content): void {
    const { raw } = this
    const headers = this.#headers
    const isHead = this.request.method === 'HEAD'
    if (raw.statusCode === 204) {
      delete headers['content-type']
      delete headers['content-length']
      if (isStream(content)) content.on('error', () => {}).resume()
      raw.writeHead(204, headers).end()
    } else if (content === undefined) {
      if (raw.statusCode !== 304 && !isHead) headers['content-length'] = '0'
      raw.writeHead(raw.statusCode, headers).end()
    } else if (isStream(content)) this.#pipe(content)
    else {
      if (!isHead || headers['content-length'] === undefined) headers['content-length'] = Buffer.byteLength(content)
      raw.writeHead(raw.statusCode, headers)
      raw.end(content)
    }
  }

  /** A stream that fails before its first bytes can still be answered with an error; later, the connection is cut. */
  #pipe(content: Readable): void {
    const { raw } = this
    finished(content, { writable: false }, (error) => {
      if (error === undefined || error === null) return
      if (raw.headersSent || raw.destroyed) raw.destroy()
      else this.#refuse(error)
    })
    finished(raw, () => content.destroy())
    // Not `writeHead`, so that the headers leave with the first bytes.
    for (const [name, value] of Object.entries(this.#headers)) raw.setHeader(name, value)
    content.pipe(raw)
  }
}

function isStream(payload: unknown): payload is Readable {
  return typeof payload === 'object' && payload !== null && 'pipe' in payload
}
