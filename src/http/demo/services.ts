import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { DemoServicesUnavailable, isDemoService } from '#flows/operations/demo-services.ts'
import { ApiError } from '#model/errors.ts'
import type { Bodies } from '../exchange/read-body.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import type { HttpServer } from '../exchange/serve.ts'
import { text } from '../request/parameters.ts'
import type { HttpDeps } from '../server/deps.ts'
import { requireOwnPage } from '../server/own-page.ts'
import { isBrowserWrite, type MountedRoute } from '../server/route.ts'
import { requireDemo } from './session.ts'

/** Limit: bytes of a form of a demo service's pages. */
const MAX_FORM_BYTES = 64 * 1024

/** The only paths that take a form: signing in and agreeing. Apps call a demo service's API through the proxy. */
const FORM_PATHS = new Set(['/login', '/consent'])

/** Nothing else passes: no token, no cookie and no address of ours reaches the simulated services. */
const SENT_HEADERS = ['accept', 'accept-language', 'content-type']
const RETURNED_HEADERS = ['content-type', 'location', 'cache-control', 'retry-after', 'allow']

/** No script, no frame, nothing from elsewhere. No `form-action`: browsers apply it also to the redirect to the app. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"

const described = {
  auth: 'browser',
  mounted: true,
  type: 'text/html',
  path: z.object({ service: text('A demo service.'), path: text('A path of the service.') }),
  reasons: ['not_found', 'demo_not_running'],
} satisfies Partial<MountedRoute>

export const showDemoService: MountedRoute = {
  ...described,
  summary: 'Demo services: show a page or a picture',
}

export const submitToDemoService: MountedRoute = {
  ...described,
  summary: 'Demo services: submit the form of a page',
}

/** Only forms, which are passed on as they are. */
const BODIES: Bodies = {
  maxBytes: MAX_FORM_BYTES,
  parsers: new Map([['application/x-www-form-urlencoded', (_request, bytes) => bytes]]),
}

/** Serves the pages and pictures of the demo services, which run in a process of their own, below our own address. */
export function mountDemoServices(server: HttpServer, deps: HttpDeps): void {
  const shared = { url: '/demo/services/:service/*', page: true, bodies: BODIES }
  server.route({
    ...shared,
    methods: ['GET', 'HEAD', 'POST'],
    before: (request) => {
      if (isBrowserWrite(request.method, submitToDemoService)) requireOwnPage(deps.config.baseUrl, request.headers)
    },
    handler: (request, reply) => forward(deps, request, reply),
  })
  server.route({
    ...shared,
    methods: ['OPTIONS', 'PUT', 'PATCH', 'DELETE'],
    handler: (request, reply) => {
      reply.header('allow', 'GET, POST, HEAD, OPTIONS')
      if (request.method !== 'OPTIONS') throw new ApiError('method_not_allowed')
      return reply.code(204).send()
    },
  })
}

async function forward(deps: HttpDeps, request: HttpRequest, reply: HttpReply): Promise<HttpReply> {
  const { services } = requireDemo(deps)
  const { service } = request.params as { service: string }
  if (!isDemoService(service)) throw new ApiError('not_found')
  const prefix = `/demo/services/${service}`
  // As it was sent: a path that is encoded in another way is another path.
  const target = request.url.slice(prefix.length)
  const path = target.split('?', 1)[0]!
  if (!path.startsWith('/')) throw new ApiError('not_found')
  if (request.method === 'POST' && !FORM_PATHS.has(path)) throw new ApiError('method_not_allowed')
  const response = await services
    .forward(service, {
      // The pages are small, and the services know no HEAD.
      method: request.method === 'POST' ? 'POST' : 'GET',
      target,
      headers: sentHeaders(request.headers, service),
      body: Buffer.isBuffer(request.body) ? request.body : undefined,
    })
    .catch((error: unknown) => {
      throw error instanceof DemoServicesUnavailable
        ? new ApiError('demo_not_running', undefined, { cause: error })
        : error
    })
  for (const name of RETURNED_HEADERS) {
    const value = response.headers[name]
    if (value !== undefined) reply.header(name, value)
  }
  for (const cookie of ownCookies(response.headers['set-cookie'] ?? [], service))
    reply.header('set-cookie', `${cookie}; Path=${prefix}/; HttpOnly; SameSite=Lax${secure(deps)}`)
  return reply.code(response.status).header('content-security-policy', POLICY).send(response.body)
}

const secure = ({ config }: Pick<HttpDeps, 'config'>): string => (config.baseUrl.startsWith('https:') ? '; Secure' : '')

function sentHeaders(headers: IncomingHttpHeaders, service: string): Record<string, string> {
  const sent: Record<string, string> = {}
  for (const name of SENT_HEADERS) {
    const value = headers[name]
    if (typeof value === 'string') sent[name] = value
  }
  const cookies = ownCookies((headers.cookie ?? '').split(';'), service)
  if (cookies.length > 0) sent['cookie'] = cookies.join('; ')
  return sent
}

/** Name and value of the cookies that belong to the service. */
function ownCookies(cookies: readonly string[], service: string): string[] {
  return cookies
    .map((cookie) => cookie.split(';', 1)[0]!.trim())
    .filter((cookie) => cookie.startsWith(`lab_${service}=`) && /^[\w-]+=[\w-]+$/.test(cookie))
}
