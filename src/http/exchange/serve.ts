import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import { ApiError, type Reason } from '#model/errors.ts'
import { createListener, type Listener } from './listen.ts'
import { type Bodies, readBody } from './read-body.ts'
import { type Delay, HttpReply, type Sending } from './reply.ts'
import { HttpRequest, type RouteFacts, type ServerParts } from './request.ts'

/** What runs for the requests of a route, in this order. */
interface Steps {
  /** Before the body is read. If it sends a response, nothing else runs. */
  before?(request: HttpRequest, reply: HttpReply): void | Promise<unknown>
  /** Default: the bodies that the server takes. */
  bodies?: Bodies
  /** Returns what is sent, unless it sent a response. */
  handler(request: HttpRequest, reply: HttpReply): unknown
  /** After that of the server. */
  onSend?: Delay | undefined
}

export interface HttpRoute extends RouteFacts, Steps {
  url: string
  methods: readonly string[]
}

type Served = RouteFacts & Steps

/** What a server does for every request. Functions and no promises: one for each step would cost a fifth of a request. */
export interface Rules extends Sending {
  bodies: Bodies
  idOf(raw: IncomingMessage): string
  /** The address that is looked up for a request; `name` is that of a further address at which it arrived. */
  locate(raw: IncomingMessage, name: string | undefined): Located
  /** Runs everything else inside. */
  follow?: ((request: HttpRequest, next: () => void) => void) | undefined
  onRequest(request: HttpRequest, reply: HttpReply): void
  /** After the last byte was sent. */
  onResponse(request: HttpRequest, reply: HttpReply): void
  /** Malformed or too slow HTTP, before it became a request. */
  onUnreadable(error: Error, socket: Socket): void
}

/** Where a request leads: an address to look up, or a refusal. */
export interface Located extends Pick<HttpRequest, 'url' | 'origin'> {
  refusal?: ApiError
}

export interface HttpServer extends Listener {
  parts: ServerParts
  route(route: HttpRoute): void
}

/** Limit: characters of a parameter in a path; a longer one is at no address. */
const MAX_PARAM_LENGTH = 2000

const NOWHERE: Served = {
  handler: () => {
    throw new ApiError('not_found')
  },
}

/** Creates a server that finds the route of a request and runs it. */
export function createHttpServer(rules: Rules, parts: ServerParts): HttpServer {
  const router = findMyWay({
    maxParamLength: MAX_PARAM_LENGTH,
    onBadUrl: (): Reason => 'bad_request',
    onMaxParamLength: (): Reason => 'not_found',
  })
  const listener = createListener(
    (raw, response, name) => {
      const { url, origin, refusal } = rules.locate(raw, name)
      const found = router.find(raw.method as HTTPMethod, url)
      const route = (found?.store as Served | null | undefined) ?? NOWHERE
      const request = new HttpRequest(raw, { id: rules.idOf(raw), url, origin, route, found, server: parts })
      const reply = new HttpReply(response, request, rules, route.onSend)
      if (listener.isClosing()) response.setHeader('Connection', 'close')
      // A path that cannot be read: the router's function says why.
      const unreadable = found !== null && found.store === null
      if (refusal !== undefined || unreadable) {
        rules.onRequest(request, reply)
        reply.fail(refusal ?? new ApiError(found!.handler(raw, response, {}, null, {}) as Reason))
        return
      }
      watchEnd(response, () => rules.onResponse(request, reply))
      const next = () => begin(rules, route, request, reply)
      if (rules.follow === undefined) next()
      else rules.follow(request, next)
    },
    (error, socket) => rules.onUnreadable(error, socket),
  )

  return {
    ...listener,
    parts,
    route: (route) => router.on([...route.methods] as HTTPMethod[], route.url, () => {}, route),
  }
}

/** An error of a response that nobody listens to would end the process. */
function watchEnd(response: ServerResponse, onEnd: () => void): void {
  let isOver = false
  const end = () => {
    if (isOver) return
    isOver = true
    onEnd()
  }
  response.on('finish', end).on('error', end)
}

function begin(rules: Rules, route: Served, request: HttpRequest, reply: HttpReply): void {
  const fail = (error: unknown) => reply.fail(error)
  try {
    rules.onRequest(request, reply)
    const waiting = route.before?.(request, reply)
    if (waiting === undefined) read(rules, route, request, reply)
    else waiting.then(() => read(rules, route, request, reply)).catch(fail)
  } catch (error) {
    fail(error)
  }
}

function read(rules: Rules, route: Served, request: HttpRequest, reply: HttpReply): void {
  if (reply.sent) return
  const reading = readBody(request, route.bodies ?? rules.bodies)
  if (reading === undefined) {
    handle(route, request, reply)
    return
  }
  const onBody = (body: unknown) => {
    request.body = body
    handle(route, request, reply)
  }
  const onError = (error: unknown) => {
    // The client may still send the rest of the body.
    reply.header('connection', 'close').fail(error)
  }
  reading.then(onBody, onError).catch((error: unknown) => reply.fail(error))
}

function handle(route: Served, request: HttpRequest, reply: HttpReply): void {
  const settle = (value: unknown) => {
    if (!reply.sent && value !== reply) reply.send(value)
  }
  const value = route.handler(request, reply)
  if (value instanceof Promise) value.then(settle, (error: unknown) => reply.fail(error))
  else settle(value)
}
