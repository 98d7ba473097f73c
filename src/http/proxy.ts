import type { OutgoingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { createProxy, type Proxy, type ProxyCall } from '#flows/proxy/forward.ts'
import type { Account } from '#model/account.ts'
import { ApiError } from '#model/errors.ts'
import { flag, parse } from '#model/input.ts'
import type { Profile } from '#model/profile.ts'
import { parseProfileName } from '#model/profile-name.ts'
import { Hangup } from '#platform/hangup.ts'
import { createTtlCache } from '#platform/ttl-cache.ts'
import { requireAccount } from './authenticate.ts'
import type { HttpDeps } from './deps.ts'
import { toApiError } from './errors.ts'
import { endWith, pipeBody } from './pipe-body.ts'
import { withoutNames } from './query-pairs.ts'
import type { MountedRoute } from './route.ts'

export const PROXY_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const WEBDAV = 'PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK REPORT SEARCH ACL MKCALENDAR'.split(' ')
/** Said to us, and not to the service. */
const OURS = new Set(['access_token', 'paginate'])
const ALLOWED = [...PROXY_METHODS, 'HEAD', 'OPTIONS'].join(', ')

const ours = z.object({
  paginate: flag('All pages of a listing as one array, written while it is read; GET only.'),
})

/** For the list of routes; mounted below, because bodies are passed on and not read. */
export const proxied: MountedRoute = {
  auth: 'account',
  summary: "The service's own API, called in the person's name; any method, any body, streamed both ways",
  path: z.object({
    service: z.string().describe('`service`, or `id@service` where the account has several profiles.'),
    path: z.string().describe("The service's own path, with its slashes; its query follows."),
  }),
  query: ours,
  type: '*/*',
  mounted: true,
  reasons: ['no_profile', 'needs_auth', 'no_service_keys', 'service_limited', 'service_unreachable', 'service_timeout'],
}

/** For so long a burst of calls of one token asks once whose it is. */
const ACCOUNT_TTL_MS = 1000
/** Limit: callers of the proxy whom one process remembers for a second; the least recently used goes. */
const MAX_CALLERS = 10_000
/** Most calls are over by then, and nobody has to look whether their access ended meanwhile. */
const FOLLOWED_AFTER_MS = 150

/** Sockets on which a body is on its way to a service: it may take longer than a request of ours. */
const uploading = new WeakSet<Socket>()

export function isUploading(socket: Socket): boolean {
  return uploading.has(socket)
}

interface ProxyContext {
  deps: HttpDeps
  proxy: Proxy
  account: (request: FastifyRequest) => Promise<Account>
}

/** `ANY /proxy/:service/<path>`. Its own corner of the server. */
export function mountProxy(server: FastifyInstance, deps: HttpDeps): void {
  const accounts = createTtlCache<Account>(deps.clock, { ttlMs: ACCOUNT_TTL_MS, maxEntries: MAX_CALLERS })
  const context: ProxyContext = {
    deps,
    proxy: createProxy(deps),
    account: (request) => accounts.get(tokensOf(request), () => requireAccount(deps, request)),
  }
  server.addHook('onClose', async () => {
    accounts.clear()
    await context.proxy.close()
  })
  for (const method of WEBDAV) server.addHttpMethod(method, { hasBody: true })
  for (const url of ['/proxy/:service', '/proxy/:service/*']) {
    server.route({
      method: [...PROXY_METHODS, 'HEAD', 'OPTIONS', ...WEBDAV],
      url,
      // At this hook nobody has touched the body yet.
      onRequest: (request, reply) => serve(context, request, reply),
      handler: (_request, reply) => reply,
    })
  }
}

// All that decides whose call it is, so that the same words may have the same answer for a moment.
function tokensOf({ headers, query }: FastifyRequest): string {
  return `${headers.authorization}\n${String((query as Record<string, unknown>)['access_token'])}`
}

async function serve(context: ProxyContext, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  void reply.headers({ 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' })
  if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined)
    return preflight(reply)
  if (/websocket/i.test(request.headers.upgrade ?? ''))
    throw new ApiError('bad_request', 'The proxy carries requests and answers, no websockets.')
  if (request.headers['service-worker'] !== undefined)
    throw new ApiError('bad_request', 'Nothing that comes through the proxy can be a service worker.')
  const account = await context.account(request)
  await forwardCall(context, account, request, reply)
}

async function forwardCall(
  { deps, proxy }: ProxyContext,
  account: Account,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const hangup = new Hangup()
  const response = reply.raw
  const onClose = () => {
    if (!response.writableFinished) hangup.happen()
  }
  response.once('close', onClose)
  const at = deps.clock.now()
  const started = performance.now()
  const { socket } = request.raw
  let release = () => {}
  let isEnded = false
  const end = () => {
    isEnded = true
    hangup.happen()
    // What is under way is cut; before the answer began, there is still a refusal to give.
    if (response.headersSent) response.destroy()
    else if (!request.raw.complete) request.raw.destroy()
  }
  const onProfile = ({ shard, id }: Profile) => {
    const late = setTimeout(() => {
      const grant = { token: account.token, accountId: account.id, profiles: [{ shard, profileId: id }] }
      release = deps.access.follow(grant, end)
    }, FOLLOWED_AFTER_MS)
    release = () => clearTimeout(late)
  }
  const call = readCall(request, hangup, onProfile, () => uploading.add(socket))
  const note = (status: number, bytes: number) =>
    proxy.logCall({
      shard: account.shard,
      appId: account.appId,
      accountId: account.id,
      at,
      method: call.method,
      service: parseProfileName(deps.registry, call.profile)?.service ?? '',
      path: call.path,
      status,
      ms: Math.round(performance.now() - started),
      bytes,
      ...call.flags,
      requestId: request.id,
    })
  try {
    const responseData = await proxy.forward(account, call)
    reply.hijack()
    if (deps.isDraining()) void reply.header('connection', 'close')
    response.writeHead(
      responseData.status,
      Object.assign(reply.getHeaders() as OutgoingHttpHeaders, responseData.headers),
    )
    const { bytes, end } = Buffer.isBuffer(responseData.body)
      ? endWith(responseData.body, response)
      : await pipeBody(responseData.body, response)
    note(end === 'whole' ? responseData.status : end === 'reader left' ? 499 : 502, bytes)
  } catch (error) {
    const refusal = isEnded && !response.destroyed ? new ApiError('token_invalid') : error
    note(hangup.happened ? 499 : toApiError(refusal).status, 0)
    // Nobody is there to read a refusal.
    if (hangup.happened && refusal === error) reply.hijack()
    else throw refusal
  } finally {
    release()
    uploading.delete(socket)
    if (!request.raw.complete) request.raw.resume()
  }
}

function readCall(
  request: FastifyRequest,
  hangup: Hangup,
  onProfile: ProxyCall['onProfile'],
  onStreamedBody: () => void,
): ProxyCall {
  const { service } = request.params as { service: string }
  return {
    profile: service,
    method: request.method,
    ...addressOf(request.raw.url ?? ''),
    paginate: wantsPages(request),
    headers: request.headers,
    body: request.raw,
    onStreamedBody,
    onProfile,
    hangup,
    flags: { refreshed: false, retried: false },
  }
}

// Most calls say nothing of it.
function wantsPages({ query }: FastifyRequest): boolean {
  return 'paginate' in (query as object) && parse(ours, query, 'bad_parameter').paginate
}

/** The path and query exactly as they were written, less what was said to us. */
function addressOf(raw: string): { path: string; query: string } {
  const target = raw.replace(/^https?:\/\/[^/?#]*/i, '')
  const mark = target.indexOf('?')
  const whole = mark < 0 ? target : target.slice(0, mark)
  const afterProxy = whole.indexOf('/', 1)
  const afterService = whole.indexOf('/', afterProxy + 1)
  const query = mark < 0 ? '' : target.slice(mark + 1)
  return {
    path: afterService < 0 ? '' : whole.slice(afterService),
    query: query === '' ? '' : withoutNames(query, OURS),
  }
}

function preflight(reply: FastifyReply): void {
  void reply
    .code(204)
    .headers({
      allow: ALLOWED,
      'access-control-allow-methods': ALLOWED,
      'access-control-allow-headers': '*, authorization',
      'access-control-max-age': '86400',
    })
    .send()
}
