import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** What requests of one server share. Other files add what they need. */
export interface ServerParts {
  /** The address of a client, behind proxies that are trusted. */
  addressOf(raw: IncomingMessage): string
}

/** What is known about a route without a request. */
export interface RouteFacts {
  /** With parameters (`:name`), and perhaps `*` at the end. Undefined for an address that is none of ours. */
  readonly url?: string
  /** A person's browser may ask for it, so refusals are pages. */
  readonly page?: boolean
  /** Bodies are passed on as text. */
  readonly rawBody?: boolean
  /** A built page of `web/` or one of its files: not part of the API. */
  readonly isWebFile?: boolean
}

interface Found {
  id: string
  /** The address without the prefix of old clients. */
  url: string
  route: RouteFacts
  params: unknown
  query: unknown
  server: ServerParts
}

/** One request, from its headers to the end of its response. */
export class HttpRequest {
  readonly raw: IncomingMessage
  readonly id: string
  readonly url: string
  readonly route: RouteFacts
  readonly params: unknown
  readonly query: unknown
  readonly server: ServerParts
  readonly method: string
  /** Parsed, once it was read. */
  body: unknown = undefined

  constructor(raw: IncomingMessage, found: Found) {
    this.raw = raw
    this.id = found.id
    this.url = found.url
    this.route = found.route
    this.params = found.params
    this.query = found.query
    this.server = found.server
    this.method = raw.method ?? ''
  }

  get headers(): IncomingHttpHeaders {
    return this.raw.headers
  }

  /** As the client wrote it. */
  get originalUrl(): string {
    return this.raw.url ?? ''
  }

  get socket(): Socket {
    return this.raw.socket
  }

  get ip(): string {
    return this.server.addressOf(this.raw)
  }
}
