import { z } from 'zod'
import { codeOfReason, REASONS, type Reason, sentenceOf, statusOf } from '#model/errors.ts'
import { OAUTH_WORDS } from '#model/oauth-errors.ts'
import { keysOf } from '#platform/keys-of.ts'
import { API_GROUPS, apiGroupOf } from './api-groups.ts'
import type { MountedRoute, Route, RouteAuth } from './route.ts'

type Listed = [method: string, path: string, route: Route | MountedRoute]
type Schema = Record<string, unknown>

const OF_AUTH: Record<RouteAuth, { security: Schema[]; reasons: Reason[] }> = {
  none: { security: [], reasons: [] },
  browser: { security: [], reasons: [] },
  admin: { security: [{ admin: [] }], reasons: ['admin_token_invalid', 'too_many_attempts'] },
  account: {
    security: [{ token: [] }, { tokenInQuery: [] }],
    reasons: ['token_missing', 'token_invalid', 'token_conflict'],
  },
  app: { security: [{ app: [] }], reasons: ['app_secret_invalid', 'too_many_attempts'] },
}

/** Describes the API as OpenAPI 3.1, from the schemas that validate requests, so that the two cannot diverge. */
export function describeApi(routes: Listed[], version: string, baseUrl: string): Schema {
  const paths: Record<string, Schema> = {}
  for (const [method, path, route] of routes) {
    const key = path.replaceAll(/:(\w+)/g, '{$1}')
    paths[key] = { ...paths[key], [method.toLowerCase()]: describeRoute(path, route) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tributary', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: baseUrl }, { url: `${baseUrl}/v0` }],
    tags: API_GROUPS.map(({ name, about }) => ({ name, description: about })),
    paths,
    components: {
      securitySchemes: {
        admin: { type: 'http', scheme: 'bearer', description: 'The admin token.' },
        token: { type: 'http', scheme: 'bearer', description: 'An access token.' },
        tokenInQuery: { type: 'apiKey', in: 'query', name: 'access_token' },
        app: { type: 'http', scheme: 'basic', description: 'client_id and client_secret.' },
      },
      schemas: { Error: errorSchema() },
    },
  }
}

const IDEMPOTENCY_KEY: Schema = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A text that is new for each request, such as a UUID, in double quotes. The same request with the same key gets the first response again, for 24 hours.',
  schema: { type: 'string' },
}

function describeRoute(path: string, route: Route | MountedRoute): Schema {
  const { security, reasons } = OF_AUTH[route.auth]
  const checked: Reason[] = [
    ...(route.query || route.path ? (['bad_parameter'] as const) : []),
    ...(route.body ? (['bad_body'] as const) : []),
    ...(route.idempotencyKey ? (['idempotency_in_progress', 'idempotency_conflict'] as const) : []),
  ]
  return {
    tags: [apiGroupOf(path)],
    summary: route.summary,
    ...(security.length > 0 ? { security } : {}),
    parameters: [
      ...parameters(route.path, 'path'),
      ...parameters(route.query ?? route.describedQuery, 'query'),
      ...(route.idempotencyKey === undefined ? [] : [IDEMPOTENCY_KEY]),
    ],
    ...(route.body === undefined
      ? {}
      : { requestBody: { required: true, content: bodyContent(toSchema(route.body, 'input')) } }),
    responses: {
      [route.status ?? 200]: {
        description: 'Success',
        content: {
          [route.type ?? 'application/json']:
            route.response === undefined ? {} : { schema: toSchema(route.response, 'output') },
        },
      },
      ...refusals([...new Set([...reasons, ...checked, ...(route.reasons ?? [])])]),
    },
  }
}

/** Forms are accepted everywhere; listed where all fields are texts or read from texts, so that a form can express the body. */
function bodyContent(schema: Schema): Schema {
  const { properties } = schema as { properties?: Record<string, Schema> }
  const isForm = properties !== undefined && Object.values(properties).every(isTextField)
  return {
    'application/json': { schema },
    ...(isForm ? { 'application/x-www-form-urlencoded': { schema } } : {}),
  }
}

/** A number, and an object that may be given as JSON, are read from a text. */
function isTextField(schema: Schema): boolean {
  const { type, anyOf = [] } = schema as { type?: string; anyOf?: { type?: string }[] }
  return ['string', 'integer', 'number'].includes(type ?? '') || anyOf.some((each) => each.type === 'string')
}

function parameters(shape: z.ZodObject | undefined, where: 'path' | 'query'): Schema[] {
  if (shape === undefined) return []
  const { properties = {}, required = [] } = toSchema(shape, 'input') as {
    properties?: Record<string, Schema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }))
}

function refusals(reasons: Reason[]): Record<string, Schema> {
  const byStatus = Map.groupBy(reasons, statusOf)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((reason) => `\`${reason}\`: ${sentenceOf(reason)}`).join(' '),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  )
}

function errorSchema(): Schema {
  return {
    type: 'object',
    required: ['error', 'code', 'reason', 'see', 'request_id'],
    properties: {
      error: { type: 'string', description: 'A sentence for developers; it names what was wrong.' },
      code: { type: 'integer', enum: keysOf(REASONS).map(codeOfReason), description: 'The number of the reason.' },
      reason: { type: 'string', enum: Object.keys(REASONS) },
      param: { type: 'string', description: 'The parameter or field at fault, with its path: `accounts.3.id`.' },
      see: { type: 'string', format: 'uri', description: 'Address of a page that explains the reason.' },
      request_id: { type: 'string' },
      error_code: {
        type: 'string',
        enum: OAUTH_WORDS,
        description: 'At `/oauth/*` and `/auth/*`: the word of RFC 6749.',
      },
      error_description: { type: 'string', description: 'At `/oauth/*` and `/auth/*`: the sentence in ASCII.' },
    },
  }
}

function toSchema(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}
