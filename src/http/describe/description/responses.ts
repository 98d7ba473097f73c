import { codeOfReason, REASONS, type Reason, sentenceOf, statusOf } from '#model/errors.ts'
import { keysOf } from '#platform/formats/keys-of.ts'
import { headersOf } from '../../server/response-headers.ts'
import {
  isBrowserWrite,
  type MountedRoute,
  type OtherResponse,
  type Route,
  type RouteAuth,
} from '../../server/route.ts'
import { exampleOf } from './example-of.ts'
import { type Components, type Schema, toSchema } from './schemas.ts'

/** Of an operator who calls for an app or an account. */
const OF_ACTING: Reason[] = [
  'admin_token_invalid',
  'too_many_attempts',
  'signed_out',
  'origin_refused',
  'sign_in_again',
]

const OF_AUTH: Record<RouteAuth, Reason[]> = {
  none: [],
  browser: [],
  dashboard: ['origin_refused'],
  admin: [
    'admin_token_invalid',
    'too_many_attempts',
    'signed_out',
    'origin_refused',
    'role_refused',
    'sign_in_again',
    'not_found',
  ],
  account: ['bad_parameter', 'token_missing', 'token_invalid', 'token_conflict', ...OF_ACTING, 'not_found'],
  app: ['app_secret_invalid', ...OF_ACTING, 'client_unknown'],
}

/** Reasons of almost every operation: one description for all. */
const SHARED: Reason[] = ['internal', 'key_missing', 'database_unavailable', 'storage_full']

/** What a status other than an error means. */
const MEANINGS: Record<number, string> = {
  200: 'The result.',
  201: 'It was created.',
  202: 'It was accepted and happens in the background.',
  302: 'A redirect.',
  303: 'A redirect.',
}

/** Every reason for which an operation may be refused. */
export function reasonsOf(method: string, route: Route | MountedRoute): Reason[] {
  const isWrite = method !== 'GET' || route.hasSideEffects === true
  const ignoresUnknown = route.ignoresUnknown ?? (route.emptyIsAbsent === true || route.auth === 'browser')
  return [
    ...new Set<Reason>([
      'bad_request',
      ...(route.query || route.path ? (['bad_parameter'] as const) : []),
      ...(ignoresUnknown || 'mounted' in route ? [] : (['parameter_unknown'] as const)),
      ...(method === 'GET' || 'mounted' in route
        ? []
        : (['bad_body', 'body_too_large', 'media_type_unsupported'] as const)),
      ...(route.idempotencyKey === undefined
        ? []
        : (['bad_parameter', 'idempotency_in_progress', 'idempotency_conflict'] as const)),
      ...OF_AUTH[route.auth],
      ...(isBrowserWrite(method, route) ? (['origin_refused'] as const) : []),
      ...(route.reasons ?? []),
      'internal',
      'key_missing',
      'database_unavailable',
      ...(isWrite ? (['storage_full'] as const) : []),
    ]),
  ]
}

export function describeResponses(
  components: Components,
  method: string,
  route: Route | MountedRoute,
): Record<string, Schema> {
  const status = route.status ?? 200
  const responses: Record<string, Schema> = { ...refusals(reasonsOf(method, route), route.auth === 'browser') }
  for (const [other, response] of Object.entries(route.also ?? {}))
    responses[other] = withAlternative(otherResponse(components, response), responses[other])
  responses[status] = {
    description: meaningOf(route, status),
    ...(route.headers === undefined ? {} : { headers: headersOf(route.headers) }),
    ...mainContent(components, route, status),
  }
  if ('mounted' in route) responses['default'] = { description: 'Any other response of the service.', content: ANY }
  return responses
}

const ANY = { '*/*': { schema: {} } }

function meaningOf(route: Route | MountedRoute, status: number): string {
  if ('mounted' in route) return 'What the service responds, with its status, headers and body.'
  if (route.type === 'text/html') return 'A page.'
  return MEANINGS[status] ?? 'The result.'
}

/** An empty response has no content. */
function mainContent(components: Components, route: Route | MountedRoute, status: number): Schema {
  if (status >= 300) return {}
  const [type = ''] = (route.type ?? 'application/json').split(';')
  const main = route.response === undefined ? { schema: { type: 'string' } } : mediaOf(components, route.response, type)
  const others = Object.entries(route.media ?? {}).map(([name, schema]) => [name, mediaOf(components, schema, name)])
  return { content: { [type]: main, ...Object.fromEntries(others) } }
}

function mediaOf(components: Components, response: NonNullable<Route['response']>, type: string): Schema {
  const schema = toSchema(components, response, 'output')
  if (type === 'application/json') return { schema, example: exampleOf(components, schema) }
  if (type !== 'text/event-stream') return { schema }
  const progress = JSON.stringify(exampleOf(components, { $ref: '#/components/schemas/SyncProgress' }))
  return { schema, example: `id: 1\nevent: progress\ndata: ${progress}\n\n` }
}

function otherResponse(components: Components, { description, response, type, headers }: OtherResponse): Schema {
  const name = type ?? 'application/json'
  const media = response === undefined ? { schema: { type: 'string' } } : mediaOf(components, response, name)
  return {
    description,
    ...(headers === undefined ? {} : { headers: headersOf(headers) }),
    ...(response === undefined && type === undefined ? {} : { content: { [name]: media } }),
  }
}

/** A status that is also that of a refusal. */
function withAlternative(response: Schema, refusal: Schema | undefined): Schema {
  if (refusal === undefined) return response
  const described = '$ref' in refusal ? refusal503() : refusal
  const [own, error] = [response['content'] as Schema, described['content'] as Schema]
  const schemas = [own, error].map((content) => (content['application/json'] as Schema | undefined)?.['schema'])
  const isBoth = schemas.every((schema) => schema !== undefined)
  return {
    ...described,
    description: `${String(response['description'])} ${String(described['description'])}`,
    content: {
      ...own,
      ...error,
      ...(isBoth ? { 'application/json': { ...(own['application/json'] as Schema), schema: { anyOf: schemas } } } : {}),
    },
  }
}

const refusal503 = () => refusal(['database_unavailable'])

/** By status: its reasons, with an example of each. */
function refusals(reasons: Reason[], hasPages: boolean): Record<string, Schema> {
  const byStatus = Map.groupBy(reasons, statusOf)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => {
      const [first] = group
      const isShared = !hasPages && group.length === 1 && first !== undefined && SHARED.includes(first)
      return [status, isShared ? { $ref: `#/components/responses/${first}` } : refusal(group, hasPages)]
    }),
  )
}

/** Browsers get a page, other callers of the same address JSON. */
function refusal(group: Reason[], hasPages = false): Schema {
  const status = Math.max(...group.map(statusOf))
  return {
    description: `Refused: ${group.map((reason) => `\`${reason}\``).join(', ')}.`,
    headers: headersOf([
      ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
      ...(status === 429 || status === 503 || status === 507 ? (['Retry-After'] as const) : []),
      'X-Request-Id',
    ]),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(group.map((reason) => [reason, { $ref: `#/components/examples/${reason}` }])),
      },
      ...(hasPages ? { 'text/html': { schema: { type: 'string' } } } : {}),
    },
    'x-reasons': group,
  }
}

export function sharedResponses(): Record<string, Schema> {
  return Object.fromEntries(SHARED.map((reason) => [reason, refusal([reason])]))
}

/** An example of an error for each reason. */
export function errorExamples(baseUrl: string): Record<string, Schema> {
  return Object.fromEntries(
    keysOf(REASONS).map((reason) => [
      reason,
      {
        summary: sentenceOf(reason),
        value: {
          error: sentenceOf(reason),
          code: codeOfReason(reason),
          reason,
          see: `${baseUrl}/docs#${reason}`,
          request_id: 'req-0j8v5t2r9x4m',
        },
      },
    ]),
  )
}
