import { isIP } from 'node:net'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify, type RouteOptions } from 'fastify'
import { type ActedFor, recordCall } from '#flows/operators/record-acting.ts'
import type { Proxy } from '#flows/proxy/forward.ts'
import { traceSignIn } from '#identity/sign-in-trace.ts'
import { ApiError } from '#model/errors.ts'
import { codeOf } from '#platform/errors.ts'
import { checkRequest, placeError } from './check-request.ts'
import { mountDemoServices } from './demo/services.ts'
import { describeApi } from './describe/openapi.ts'
import { createMetrics, type Metrics } from './metrics/metrics.ts'
import { mountProxy } from './proxy/proxy.ts'
import { followRequests } from './request/follow-requests.ts'
import { jsonAsFormError, jsonBodyError, looksLikeJson } from './request/json-body.ts'
import { createRequestIds } from './request/request-id.ts'
import { type Listed, METHODS, type Method, ROUTES } from './routes.ts'
import { operatorOf, requireAccount, requireApp, requireOperator } from './server/authenticate.ts'
import { type Accounts, createAccounts } from './server/cached-accounts.ts'
import type { HttpDeps } from './server/deps.ts'
import { respondWithError } from './server/errors.ts'
import { createFixedTexts, type FixedTexts } from './server/fixed-text.ts'
import {
  ANYONE,
  accountCaller,
  appCaller,
  keepSent,
  operatorCaller,
  rememberBody,
  runOnce,
} from './server/idempotency.ts'
import { followSession, isFromDashboard, requireDashboard } from './server/operator-session.ts'
import { requireOwnPage } from './server/own-page.ts'
import { requireConfirmed, requireFields, requirePermission } from './server/permissions.ts'
import { isBrowserWrite, type Route, type RouteAuth } from './server/route.ts'
import { SECURITY_HEADERS } from './server/security-headers.ts'
import { refuseUnreadable } from './server/unreadable.ts'
import { isUploading } from './server/uploading.ts'
import { refusePrefetch } from './sign-in/prefetch.ts'
import { mountWeb } from './site/web-app.ts'

declare module 'fastify' {
  interface FastifyInstance {
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
/** Limit (requests): bytes of a request body, except in the proxy; more is answered with 413. */
const MAX_BODY_BYTES = 1024 * 1024

/** Creates the HTTP server. A slow or silent client occupies a socket for seconds, and nothing else. */
export function createServer(deps: HttpDeps, routes: Listed[] = ROUTES): FastifyInstance {
  const nextRequestId = createRequestIds(deps.clock)
  const server = fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: 60_000,
    keepAliveTimeout: 65_000,
    http: { headersTimeout: 10_000, maxHeaderSize: 16 * 1024, connectionsCheckingInterval: 2000 },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    trustProxy: deps.config.trustProxy,
    // Paths that cannot be decoded do not reach the hooks; malformed HTTP does not become a request.
    frameworkErrors: (error, request, reply) => {
      setHeaders(deps, request, reply)
      void respondWithError(deps, error, request, reply)
    },
    clientErrorHandler: (error, socket) => {
      // An upload may take longer than other requests.
      if (codeOf(error) === 'ERR_HTTP_REQUEST_TIMEOUT' && isUploading(socket)) return
      refuseUnreadable(error, socket, deps.clock.now(), deps.config.baseUrl)
    },
    genReqId: (request) => {
      const given = request.headers['x-request-id']
      return typeof given === 'string' && /^[\w.-]{8,64}$/.test(given) ? given : nextRequestId()
    },
    rewriteUrl: ({ url = '/' }) => (/^\/v0(?=[/?]|$)/.test(url) ? url.slice(3).replace(/^(?!\/)/, '/') : url),
    routerOptions: { maxParamLength: 2000 },
    exposeHeadRoutes: false,
    // Routes validate with zod. Without these, fastify loads the compilers of its own schemas.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
  })
  server.decorate('describe', () => describeApi(routes, deps.version, deps.config.baseUrl))
  server.decorate('fixedTexts', createFixedTexts(deps.clock))
  server.decorate('metrics', createMetrics())
  readBodies(server)
  if (deps.tracer !== undefined) followRequests(server, deps.tracer)
  // Hooks with callbacks: a promise per hook would cost every request a fifth of its time.
  server.addHook('onRequest', (request, reply, done) => {
    setHeaders(deps, request, reply)
    if (isFromDashboard(request)) followSession(deps, request, reply, operatorOf)
    done()
  })
  server.addHook('onSend', (_request, reply, _payload, done) => {
    if (deps.isDraining()) void reply.header('connection', 'close')
    done()
  })
  server.addHook('onResponse', (request, reply, done) => {
    observe(deps, request, reply)
    done()
  })
  server.setErrorHandler((error, request, reply) => respondWithError(deps, error, request, reply))
  server.setNotFoundHandler(() => {
    throw new ApiError('not_found')
  })
  const accounts = createAccounts(deps)
  server.addHook('onClose', async () => {
    accounts.clear()
    server.fixedTexts.plain.clear()
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

function noCompiler(): never {
  throw new Error('Routes have no schemas of fastify.')
}

interface Served {
  method: Method
  route: Route
}

function mount(server: FastifyInstance, deps: HttpDeps, accounts: Accounts, url: string, listed: Served[]): void {
  const methods = listed.map(({ method }) => method)
  const hasHead = listed.some(({ method, route }) => method === 'GET' && route.hasSideEffects !== true)
  const allow = [...methods, ...(hasHead ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  for (const { method, route } of listed) {
    const withHead = method === 'GET' && route.hasSideEffects !== true ? ['GET', 'HEAD'] : [method]
    server.route({
      method: withHead,
      url,
      config: { page: route.auth === 'browser', rawBody: route.rawBody === true, takesBody: route.body !== undefined },
      ...beforeBody(deps, url, route),
      ...(route.streamsBody === true
        ? { onRequest: [...[beforeBody(deps, url, route).onRequest ?? []].flat(), unparsed(deps, accounts, route)] }
        : {}),
      ...(route.idempotencyKey === undefined ? {} : { onSend: keepSent }),
      handler: (request, reply) => serve(deps, accounts, route, request, reply),
    })
  }
  server.route({
    method: 'OPTIONS',
    url,
    handler: (_request, reply) => {
      void reply.header('allow', allow)
      if (listed.some(({ route }) => CORS_AUTH.includes(route.auth))) allowOrigins(reply, allow)
      return reply.code(204).send()
    },
  })
  server.route({
    method: [...METHODS.filter((method) => !methods.includes(method)), ...(hasHead ? [] : ['HEAD'])],
    url,
    config: { page: true },
    handler: (_request, reply) => {
      void reply.header('allow', allow)
      throw new ApiError('method_not_allowed')
    },
  })
}

/** Runs before the body is read: bodies of unauthorized admin requests are not read, and errors about a body have CORS headers. */
function beforeBody(deps: HttpDeps, url: string, route: Route): Pick<RouteOptions, 'onRequest'> {
  if (route.auth === 'admin')
    return {
      onRequest: async (request) => {
        const operator = await requireOperator(deps, request)
        requirePermission(operator, url, route, request)
        requireConfirmed(operator, route, deps.clock)
      },
    }
  return {
    onRequest: (request, reply, done) => {
      if (CORS_AUTH.includes(route.auth))
        void reply.headers({ 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED_HEADERS })
      if (route.hasSideEffects) refusePrefetch(request)
      if (route.auth === 'dashboard') requireDashboard(deps, request)
      if (isBrowserWrite(request.method, route)) requireOwnPage(deps.config.baseUrl, request.headers)
      done()
    },
  }
}

/** Serves a route that reads the body itself, before anything else reads it. */
function unparsed(
  deps: HttpDeps,
  accounts: Accounts,
  route: Route,
): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  return async (request, reply) => {
    const response = await serve(deps, accounts, route, request, reply)
    return reply.sent ? reply : reply.send(response)
  }
}

async function serve(
  deps: HttpDeps,
  accounts: Accounts,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const response = await callRoute(deps, accounts, route, request, reply)
  if (reply.sent) return reply
  if (route.status !== undefined && reply.statusCode === 200) void reply.code(route.status)
  if (route.type !== undefined && !reply.hasHeader('content-type')) void reply.type(route.type)
  return response
}

async function callRoute(
  deps: HttpDeps,
  accounts: Accounts,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
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
  request: FastifyRequest,
  reply: FastifyReply,
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
  request: FastifyRequest,
  subject: ActedFor,
  run: () => Promise<unknown>,
): Promise<unknown> {
  const result = await run()
  const operator = operatorOf(request)
  if (operator !== undefined && route.auditedAs !== undefined)
    await recordCall(deps, operator, subject, route.auditedAs, { ...(request.params as object) })
  return result
}

function setHeaders(deps: HttpDeps, request: FastifyRequest, reply: FastifyReply): void {
  void reply.headers({ 'x-request-id': request.id, ...SECURITY_HEADERS })
  if (deps.config.baseUrl.startsWith('https:')) void reply.header('strict-transport-security', 'max-age=31536000')
}

function allowOrigins(reply: FastifyReply, methods: string): void {
  void reply.headers({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': methods,
    // The asterisk covers every header but `authorization` (no cookies are used here).
    'access-control-allow-headers': '*, authorization',
    'access-control-max-age': '86400',
  })
}

function observe(deps: HttpDeps, request: FastifyRequest, reply: FastifyReply): void {
  const path = request.routeOptions.url ?? 'none'
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

/** Parses JSON, and forms for OAuth clients. A name that occurs twice becomes an array, which the schemas reject. */
function readBodies(server: FastifyInstance): void {
  const parseJson = server.getDefaultJsonParser('error', 'error')
  server.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    rememberBody(request, body)
    const { rawBody, takesBody } = request.routeOptions.config
    if (rawBody) done(null, body)
    // Clients send the header with every request.
    else if (body === '' && takesBody === false) done(null, undefined)
    else
      void parseJson(request, body, (error, value) => {
        if (error === null || error === undefined) done(null, value)
        else done(jsonBodyError(body, error))
      })
  })
  server.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (request, body, done) => {
      rememberBody(request, body)
      if (request.routeOptions.config.rawBody) done(null, body)
      else if (looksLikeJson(body)) done(jsonAsFormError())
      else done(null, readForm(body))
    },
  )
  // Browsers send text/plain to other origins without a preflight, so JSON in it is not accepted.
  server.removeContentTypeParser('text/plain')
  server.addContentTypeParser('text/plain', { parseAs: 'string' }, (request, body, done) => {
    if (request.routeOptions.config.rawBody) done(null, body)
    else done(new ApiError('media_type_unsupported'))
  })
}

function readForm(text: string): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    const known = fields[name]
    fields[name] = known === undefined ? value : [known, value].flat()
  }
  return fields
}
