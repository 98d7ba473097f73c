import { isIP } from 'node:net'
import { type ActedFor, recordCall } from '#flows/operators/record-acting.ts'
import type { Proxy } from '#flows/proxy/forward.ts'
import { traceSignIn } from '#identity/sign-in-trace.ts'
import { ApiError } from '#model/errors.ts'
import { codeOf } from '#platform/errors.ts'
import { checkRequest, placeError } from './check-request.ts'
import { mountDemoServices } from './demo/services.ts'
import { describeApi } from './describe/openapi.ts'
import { callerAddress } from './exchange/caller-address.ts'
import type { HttpReply } from './exchange/reply.ts'
import type { HttpRequest, ServerParts } from './exchange/request.ts'
import { createHttpServer, type HttpRoute, type HttpServer, type Rules } from './exchange/serve.ts'
import { createMetrics, type Metrics } from './metrics/metrics.ts'
import { createOrigins, withoutSessions } from './proxy/origins.ts'
import { mountProxy } from './proxy/proxy.ts'
import { followRequests } from './request/follow-requests.ts'
import { createRequestIds } from './request/request-id.ts'
import { type Listed, METHODS, type Method, ROUTES } from './routes.ts'
import { operatorOf, requireAccount, requireApp, requireOperator } from './server/authenticate.ts'
import { BODIES } from './server/bodies.ts'
import { type Accounts, createAccounts } from './server/cached-accounts.ts'
import type { HttpDeps } from './server/deps.ts'
import { respondWithError } from './server/errors.ts'
import { createFixedTexts, type FixedTexts } from './server/fixed-text.ts'
import { ANYONE, accountCaller, appCaller, keepSent, operatorCaller, runOnce } from './server/idempotency.ts'
import { followSession, isFromDashboard, requireDashboard } from './server/operator-session.ts'
import { requireOwnPage } from './server/own-page.ts'
import { requireConfirmed, requireFields, requirePermission } from './server/permissions.ts'
import { isBrowserWrite, type Route, type RouteAuth } from './server/route.ts'
import { SECURITY_HEADERS } from './server/security-headers.ts'
import { refuseUnreadable } from './server/unreadable.ts'
import { isUploading } from './server/uploading.ts'
import { refusePrefetch } from './sign-in/prefetch.ts'
import { mountWeb } from './site/web-app.ts'

declare module './exchange/request.ts' {
  interface ServerParts {
    describe(): unknown
    fixedTexts: FixedTexts
    metrics: Metrics
    /** Call it before the response, when a request changed the profiles of an account. */
    forgetAccount(accountId: string): void
    /** Calls to services for the tools of agents. */
    proxy: Proxy
  }
}

/** Scripts of other origins can read only these response headers, of refusals too. */
const EXPOSED_HEADERS =
  'Link, ETag, X-Total-Count, X-Staleness, Deprecation, Sunset, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed, X-Request-Id, WWW-Authenticate'
/** Routes that scripts of any origin may call (CORS): they use tokens and no cookies. */
const CORS_AUTH: RouteAuth[] = ['none', 'account']

/** Creates the HTTP server. A slow or silent client occupies a socket for seconds, and nothing else. */
export function createServer(deps: HttpDeps, routes: Listed[] = ROUTES): HttpServer {
  const nextRequestId = createRequestIds(deps.clock)
  const tracing = deps.tracer && followRequests(deps.tracer)
  const metrics = createMetrics()
  const fixedTexts = createFixedTexts(deps.clock)
  const accounts = createAccounts(deps)
  const originOf = createOrigins(deps.config)
  // `mountProxy` adds the rest.
  const parts = {
    addressOf: callerAddress(deps.config.trustProxy),
    describe: () => describeApi(routes, deps.version, deps.config.baseUrl),
    fixedTexts,
    metrics,
  } as ServerParts
  const rules: Rules = {
    bodies: BODIES,
    idOf: ({ headers: { 'x-request-id': given } }) =>
      typeof given === 'string' && /^[\w.-]{8,64}$/.test(given) ? given : nextRequestId(),
    // A path of the service may begin with `/v0` too.
    locate: (raw, name) => originOf(raw, name) ?? { url: withoutVersion(raw.url ?? '/'), origin: undefined },
    follow: tracing?.begin,
    onRequest: (request, reply) => {
      if (request.origin !== undefined) withoutSessions(request)
      setHeaders(deps, request, reply)
      if (isFromDashboard(request)) followSession(deps, request, reply, operatorOf)
    },
    onSend: (request, reply, content) => {
      deps.onSend?.(request, reply, content)
      if (deps.isDraining()) reply.header('connection', 'close')
    },
    onResponse: (request, reply) => {
      tracing?.end(request, reply)
      observe(deps, request, reply)
    },
    onError: (error, request, reply) => respondWithError(deps, error, request, reply),
    onUnreadable: (error, socket) => {
      // An upload may take longer than other requests.
      if (codeOf(error) === 'ERR_HTTP_REQUEST_TIMEOUT' && isUploading(socket)) return
      refuseUnreadable(error, socket, deps.clock.now(), deps.config.baseUrl)
    },
  }
  const server = createHttpServer(rules, parts)
  server.onClose(() => {
    accounts.clear()
    fixedTexts.plain.clear()
  })
  const served = routes.flatMap(([method, path, route]) => ('mounted' in route ? [] : [{ method, path, route }]))
  for (const [path, listed] of Map.groupBy(served, ({ path }) => path)) mount(server, deps, accounts, path, listed)
  if (served.length < routes.length) {
    mountProxy(server, deps)
    mountWeb(server, deps)
    mountDemoServices(server, deps)
  }
  return server
}

function withoutVersion(url: string): string {
  return /^\/v0(?=[/?]|$)/.test(url) ? url.slice(3).replace(/^(?!\/)/, '/') : url
}

type Before = NonNullable<HttpRoute['before']>

interface Served {
  method: Method
  route: Route
}

function mount(server: HttpServer, deps: HttpDeps, accounts: Accounts, url: string, listed: Served[]): void {
  const methods = listed.map(({ method }) => method)
  const hasHead = listed.some(({ method, route }) => method === 'GET' && route.hasSideEffects !== true)
  const allow = [...methods, ...(hasHead ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  for (const { method, route } of listed) {
    const before = beforeBody(deps, url, route)
    const run = (request: HttpRequest, reply: HttpReply) => serve(deps, accounts, route, request, reply)
    server.route({
      methods: method === 'GET' && route.hasSideEffects !== true ? ['GET', 'HEAD'] : [method],
      url,
      page: route.auth === 'browser',
      rawBody: route.rawBody === true,
      takesBody: route.body !== undefined,
      before: route.streamsBody === true ? unparsed(before, run) : before,
      onSend: route.idempotencyKey === undefined ? undefined : keepSent,
      handler: run,
    })
  }
  server.route({
    methods: ['OPTIONS'],
    url,
    handler: (_request, reply) => {
      reply.header('allow', allow)
      if (listed.some(({ route }) => CORS_AUTH.includes(route.auth))) allowOrigins(reply, allow)
      return reply.code(204).send()
    },
  })
  server.route({
    methods: [...METHODS.filter((method) => !methods.includes(method)), ...(hasHead ? [] : ['HEAD'])],
    url,
    page: true,
    handler: (_request, reply) => {
      reply.header('allow', allow)
      throw new ApiError('method_not_allowed')
    },
  })
}

/** Runs before the body is read: bodies of unauthorized admin requests are not read, and errors about a body have CORS headers. */
function beforeBody(deps: HttpDeps, url: string, route: Route): Before {
  if (route.auth === 'admin')
    return async (request) => {
      const operator = await requireOperator(deps, request)
      requirePermission(operator, url, route, request)
      requireConfirmed(operator, route, deps.clock)
    }
  return (request, reply) => {
    if (CORS_AUTH.includes(route.auth))
      reply.headers({ 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED_HEADERS })
    if (route.hasSideEffects) refusePrefetch(request)
    if (route.auth === 'dashboard') requireDashboard(deps, request)
    if (isBrowserWrite(request.method, route)) requireOwnPage(deps.config.baseUrl, request.headers)
  }
}

/** Serves a route that reads the body itself, before anything else reads it. */
function unparsed(before: Before, run: NonNullable<HttpRoute['handler']>): Before {
  return async (request, reply) => {
    await before(request, reply)
    const response = await run(request, reply)
    if (!reply.sent) reply.send(response)
  }
}

async function serve(
  deps: HttpDeps,
  accounts: Accounts,
  route: Route,
  request: HttpRequest,
  reply: HttpReply,
): Promise<unknown> {
  const response = await callRoute(deps, accounts, route, request, reply)
  if (reply.sent) return reply
  if (route.status !== undefined && reply.statusCode === 200) reply.code(route.status)
  if (route.type !== undefined && !reply.hasHeader('content-type')) reply.type(route.type)
  return response
}

async function callRoute(
  deps: HttpDeps,
  accounts: Accounts,
  route: Route,
  request: HttpRequest,
  reply: HttpReply,
): Promise<unknown> {
  try {
    return await callWithCaller(deps, accounts, route, request, reply)
  } catch (error) {
    throw placeError(route, error)
  }
}

/** Authenticates first, then validates the request. */
async function callWithCaller(
  deps: HttpDeps,
  accounts: Accounts,
  route: Route,
  request: HttpRequest,
  reply: HttpReply,
): Promise<unknown> {
  const checked = () => checkRequest(route, request, reply)
  if (route.auth === 'app') {
    const app = await requireApp(deps, request)
    const operator = operatorOf(request)
    requireConfirmed(operator, route, deps.clock)
    const call = { ...checked(), app, operator, actor: operator?.actor ?? `app:${app.id}` }
    return runOnce(
      deps,
      route,
      call,
      async () => appCaller(app, operator),
      () => recorded(deps, route, request, { appId: app.id }, () => route.run(deps, call)),
    )
  }
  if (route.auth === 'admin') {
    const operator = operatorOf(request)!
    const call = { ...checked(), operator, actor: operator.actor }
    requireFields(operator, route, call.body)
    return runOnce(
      deps,
      route,
      call,
      async () => operatorCaller(operator),
      () => route.run(deps, call),
    )
  }
  if (route.auth !== 'account') {
    const call = checked()
    const { idempotencyKey: key } = route
    const caller = async () => (typeof key === 'object' ? key.caller(deps, call) : ANYONE)
    const run = async () => {
      if (route.signInStep === undefined) return route.run(deps, call)
      const traced = { step: route.signInStep, requestId: request.id }
      return traceSignIn(deps, traced, (signIn) => route.run(deps, { ...call, signIn }))
    }
    return runOnce(deps, route, call, caller, run)
  }
  if (route.usesCachedAccount) return accounts.read(request, (account) => route.run(deps, { ...checked(), account }))
  const account = await requireAccount(deps, request)
  const operator = operatorOf(request)
  requireConfirmed(operator, route, deps.clock)
  const call = { ...checked(), account, operator, actor: operator?.actor ?? `account:${account.id}` }
  return runOnce(
    deps,
    route,
    call,
    async () => accountCaller(account, operator),
    () => recorded(deps, route, request, { account }, () => route.run(deps, call)),
  )
}

/** Records what an operator did for an app or account, where the flow itself records nothing. */
async function recorded(
  deps: HttpDeps,
  route: Route,
  request: HttpRequest,
  subject: ActedFor,
  run: () => Promise<unknown>,
): Promise<unknown> {
  const result = await run()
  const operator = operatorOf(request)
  if (operator !== undefined && route.auditedAs !== undefined)
    await recordCall(deps, operator, subject, route.auditedAs, { ...(request.params as object) })
  return result
}

function setHeaders(deps: HttpDeps, request: HttpRequest, reply: HttpReply): void {
  reply.headers({ 'x-request-id': request.id, ...SECURITY_HEADERS })
  if (deps.config.baseUrl.startsWith('https:')) reply.header('strict-transport-security', 'max-age=31536000')
}

function allowOrigins(reply: HttpReply, methods: string): void {
  reply.headers({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': methods,
    // The asterisk covers every header but `authorization` (no cookies are used here).
    'access-control-allow-headers': '*, authorization',
    'access-control-max-age': '86400',
  })
}

function observe(deps: HttpDeps, request: HttpRequest, reply: HttpReply): void {
  const path = request.route.url ?? 'none'
  request.server.metrics.observe(request.method, path, reply.statusCode, reply.elapsedTime)
  if (!deps.log.debugEnabled) return
  deps.log.debug('request', {
    request_id: request.id,
    method: request.method,
    path,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime),
    address: isIP(request.ip) ? request.ip : undefined,
  })
}
