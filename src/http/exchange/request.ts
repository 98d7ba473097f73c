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
  /** False for a route that takes no body: it also accepts an empty one with the content type of JSON. */
  readonly takesBody?: boolean
  /** A built page of `web/` or one of its files: not part of the API. */
  readonly isWebFile?: boolean
}

/** The origin of one service, at which nothing but its proxy is served. */
export interface ServiceOrigin {
  service: string
  /** By the configuration, whatever the request names. */
  url: string
}

type Known = Pick<HttpRequest, 'id' | 'url' | 'origin' | 'route' | 'server'> & {
  found: { params: unknown; searchParams: unknown } | null
}

/** One request, from its headers to the end of its response. */
export class HttpRequest {
  readonly raw: IncomingMessage
  readonly id: string
  /** Without the prefix of old clients; at the origin of a service, as below `/proxy`. */
  readonly url: string
  /** The origin of a service, if the request was sent to one. */
  readonly origin: ServiceOrigin | undefined
  readonly route: RouteFacts
  readonly params: unknown
  readonly query: unknown
  readonly server: ServerParts
  readonly method: string
  /** Parsed, once it was read. */
  body: unknown = undefined

  constructor(raw: IncomingMessage, { id, url, origin, route, server, found }: Known) {
    this.raw = raw
    this.id = id
    this.url = url
    this.origin = origin
    this.route = route
    this.server = server
    this.params = found?.params ?? {}
    this.query = found?.searchParams ?? {}
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
