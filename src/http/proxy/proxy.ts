import type { OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { z } from 'zod'
import type { Caller, ProxyResponse } from '#flows/proxy/deps.ts'
import { createProxy, type Proxy, type ProxyCall } from '#flows/proxy/forward.ts'
import type { IsOurs } from '#flows/proxy/lead-back.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { tokenIdOf } from '#model/accounts/access-token.ts'
import type { CalledProfile } from '#model/accounts/profile.ts'
import { parseProfileName } from '#model/accounts/profile-name.ts'
import { ApiError } from '#model/errors.ts'
import { flag, parse } from '#model/input/input.ts'
import { Hangup } from '#platform/waiting/hangup.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import type { HttpServer } from '../exchange/serve.ts'
import { endWith, pipeBody } from '../request/pipe-body.ts'
import { withoutNames } from '../request/query-pairs.ts'
import { actsForAccount, tokenOf } from '../server/authenticate.ts'
import type { HttpDeps } from '../server/deps.ts'
import { toApiError } from '../server/errors.ts'
import type { MountedRoute } from '../server/route.ts'
import { beginUpload, endUpload } from '../server/uploading.ts'
import { createOwnAddresses } from './own-addresses.ts'
import { createProxyCallers, type ProxyCallers } from './proxy-callers.ts'
import { proxyUrlOf } from './proxy-url.ts'
import { asBearer } from './token-forms.ts'
import { type TakenToken, takeToken } from './token-places.ts'

export const PROXY_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const WEBDAV = 'PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK REPORT SEARCH ACL MKCALENDAR'.split(' ')
const SAFE_METHODS = new Set('GET HEAD OPTIONS PROPFIND REPORT SEARCH'.split(' '))
/** Parameters of the proxy, which are not forwarded to the service. */
const PROXY_PARAMETERS = new Set(['access_token', 'paginate'])
const ALLOWED = [...PROXY_METHODS, 'HEAD', 'OPTIONS'].join(', ')

const proxyQuery = z.object({
  paginate: flag('Return all pages of a listing as one streamed array; GET only.'),
})

/** For the list of routes; mounted below, because bodies are streamed and not parsed. */
export const proxied: MountedRoute = {
  auth: 'account',
  summary: "Call the service's own API with the person's credential; any method and body, streamed both ways",
  path: z.object({
    service: z.string().describe('`service`, or `id@service` if the account has several profiles.'),
    path: z.string().describe("The service's own path, including slashes, and its query."),
  }),
  query: proxyQuery,
  type: '*/*',
  response: z.unknown().describe('What the service responds, with its status and headers.'),
  mounted: true,
  reasons: [
    'no_profile',
    'needs_auth',
    'token_restricted',
    'no_service_keys',
    'service_limited',
    'service_unreachable',
    'address_refused',
    'connector_failed',
    'service_timeout',
  ],
}

/** Calls that last longer are ended when their access ends. Most are shorter and need not be watched. */
const WATCH_AFTER_MS = 150

interface ProxyContext {
  deps: HttpDeps
  proxy: Proxy
  callers: ProxyCallers
  isOurs: IsOurs
}

/** Mounts `ANY /proxy/:service/<path>`. */
export function mountProxy(server: HttpServer, deps: HttpDeps): void {
  const context: ProxyContext = {
    deps,
    proxy: createProxy(deps),
    callers: createProxyCallers(deps),
    isOurs: createOwnAddresses(deps.config),
  }
  server.parts.proxy = context.proxy
  server.parts.forgetAccount = (accountId) => context.callers.forget(accountId)
  server.onClose(async () => {
    context.callers.clear()
    await context.proxy.close()
  })
  for (const url of ['/proxy/:service', '/proxy/:service/*']) {
    server.route({
      methods: [...PROXY_METHODS, 'HEAD', 'OPTIONS', ...WEBDAV],
      url,
      before: (request, reply) => serve(context, request, reply),
      // The response was sent before the body would have been read.
      handler: (_request, reply) => reply,
    })
  }
}

async function serve(context: ProxyContext, request: HttpRequest, reply: HttpReply): Promise<void> {
  reply.headers({ 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' })
  if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined)
    return preflight(reply)
  if (/websocket/i.test(request.headers.upgrade ?? ''))
    throw new ApiError('bad_request', 'The proxy does not support websockets.')
  if (request.headers['service-worker'] !== undefined)
    throw new ApiError('bad_request', 'The proxy does not serve service workers.')
  const { authorization } = request.headers
  // Only a header that is there, because an undefined one counts as given.
  if (authorization !== undefined) request.headers.authorization = asBearer(authorization)
  const taken = await takeToken(connectorOf(context, request), request)
  const caller = context.callers.find(request, wantsCurrentProfile(request))
  await forwardCall(context, caller instanceof Promise ? await caller : caller, request, taken, reply)
}

async function forwardCall(
  { deps, proxy, isOurs }: ProxyContext,
  caller: Caller,
  request: HttpRequest,
  taken: TakenToken,
  reply: HttpReply,
): Promise<void> {
  const { account } = caller
  const { proxyToken } = account
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
    // A response in progress is cut off; before it began, an error can still be sent.
    if (response.headersSent) response.destroy()
    else if (!request.raw.complete) request.raw.destroy()
  }
  const onProfile = ({ shard, id }: CalledProfile) => {
    const timer = setTimeout(() => {
      const profiles = [{ shard, profileId: id }]
      const grant = { token: account.token, proxyToken: proxyToken?.key, accountId: account.id, profiles }
      release = deps.access.follow(grant, end)
    }, WATCH_AFTER_MS)
    release = () => clearTimeout(timer)
  }
  const call = readCall(deps, request, taken, {
    hangup,
    onProfile,
    onStreamedBody: () => beginUpload(socket),
    isOurs,
  })
  const recordCall = (status: number, bytes: number) =>
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
      tokenId: proxyToken?.id ?? (account.token && tokenIdOf(account.token.hash)),
      proxyTokenHash: proxyToken?.key.hash,
    })
  try {
    const responseData = await proxy.forward(caller, call)
    reply.hijack()
    if (deps.isDraining()) reply.header('connection', 'close')
    response.writeHead(responseData.status, withOurs(responseData.headers, reply))
    const { bytes, end } = Buffer.isBuffer(responseData.body)
      ? endWith(responseData.body, response)
      : await pipeBody(responseData.body, response)
    recordCall(end === 'whole' ? responseData.status : end === 'reader left' ? 499 : 502, bytes)
  } catch (error) {
    const refusal = isEnded && !response.destroyed ? new ApiError('token_invalid') : error
    recordCall(hangup.happened ? 499 : toApiError(refusal).status, 0)
    // The client has disconnected and cannot receive an error.
    if (hangup.happened && refusal === error) reply.hijack()
    else throw refusal
  } finally {
    release()
    endUpload(socket)
    if (!request.raw.complete) request.raw.resume()
  }
}

/** The service's headers, with those of ours that it has not. */
function withOurs(headers: ProxyResponse['headers'], reply: HttpReply): OutgoingHttpHeaders {
  const all: OutgoingHttpHeaders = headers
  const ours = reply.getHeaders()
  for (const name in ours) all[name] ??= ours[name]
  return all
}

function readCall(
  { config }: HttpDeps,
  request: HttpRequest,
  taken: TakenToken,
  given: Pick<ProxyCall, 'hangup' | 'onProfile' | 'onStreamedBody' | 'isOurs'>,
): ProxyCall {
  const { service } = request.params as { service: string }
  return {
    ...given,
    profile: service,
    proxyUrl: request.origin?.url ?? proxyUrlOf(config, service),
    isAtOrigin: request.origin !== undefined,
    accountToken: actsForAccount(request) ? undefined : tokenOf(request),
    tokenIn: taken.tokenIn,
    method: request.method,
    ...addressOf(taken.url),
    paginate: wantsPages(request),
    headers: request.headers,
    body: taken.body === undefined ? request.raw : Readable.from([taken.body], { objectMode: false }),
    flags: { refreshed: false, retried: false, secrets: [] },
  }
}

function connectorOf({ deps: { registry } }: ProxyContext, { params }: HttpRequest): Connector | undefined {
  const { service } = params as { service: string }
  return registry.find(parseProfileName(registry, service)?.service ?? '')
}

/** A write as the wrong person cannot be undone, so a service name must mean the profile that is connected last right now. */
function wantsCurrentProfile({ method, params }: HttpRequest): boolean {
  return !SAFE_METHODS.has(method) && !(params as { service: string }).service.includes('@')
}

// Most calls do not use the parameter; then nothing is parsed.
function wantsPages({ query }: HttpRequest): boolean {
  return 'paginate' in (query as object) && parse(proxyQuery, query, 'bad_parameter').paginate
}

/** Path and query exactly as they were written, without the parameters of the proxy. */
function addressOf(raw: string): { path: string; query: string } {
  const target = raw.replace(/^https?:\/\/[^/?#]*/i, '')
  const queryStart = target.indexOf('?')
  const whole = queryStart < 0 ? target : target.slice(0, queryStart)
  const afterProxy = whole.indexOf('/', 1)
  const afterService = whole.indexOf('/', afterProxy + 1)
  const query = queryStart < 0 ? '' : target.slice(queryStart + 1)
  return {
    path: afterService < 0 ? '' : whole.slice(afterService),
    query: query === '' ? '' : withoutNames(query, PROXY_PARAMETERS),
  }
}

function preflight(reply: HttpReply): void {
  reply
    .code(204)
    .headers({
      allow: ALLOWED,
      'access-control-allow-methods': ALLOWED,
      'access-control-allow-headers': '*, authorization',
      'access-control-max-age': '86400',
    })
    .send()
}
