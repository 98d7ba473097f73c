import { REASONS } from '#model/errors.ts'
import { headerComponents } from '../server/response-headers.ts'
import type { MountedRoute, Route, RouteAuth } from '../server/route.ts'
import { API_GROUPS, apiGroupOf } from './api-groups.ts'
import { errorSchema } from './description/error-schema.ts'
import { exampleOf } from './description/example-of.ts'
import { EXAMPLE_BODIES } from './description/example-values.ts'
import { describeParameters } from './description/parameters.ts'
import { describeResponses, errorExamples, sharedResponses } from './description/responses.ts'
import { type Components, type Schema, toSchema } from './description/schemas.ts'

type Listed = [method: string, path: string, route: Route | MountedRoute, operationId: string]

const SECURITY: Record<RouteAuth, Schema[]> = {
  none: [],
  browser: [],
  dashboard: [],
  admin: [{ admin: [] }, { session: [] }],
  account: [{ token: [] }, { tokenInQuery: [] }],
  app: [{ app: [] }],
}

/** Describes the API as OpenAPI 3.1, from the schemas that validate requests, so that the two cannot diverge. */
export function describeApi(routes: readonly Listed[], version: string, baseUrl: string): Schema {
  const components: Components = {
    schemas: {
      Error: errorSchema(),
      Reason: { type: 'string', enum: Object.keys(REASONS), description: 'Why a request was refused.' },
    },
  }
  const paths: Record<string, Schema> = {}
  for (const listed of routes) {
    const [method, path] = listed
    const key = path.replaceAll(/:(\w+)/g, '{$1}')
    paths[key] = { ...paths[key], [method.toLowerCase()]: describeRoute(components, listed) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tributary',
      summary: 'One service between an app and the services that its users use.',
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }, { url: `${baseUrl}/v0` }],
    tags: API_GROUPS.map(({ name, about }) => ({ name, description: about })),
    paths,
    components: {
      securitySchemes: {
        admin: { type: 'http', scheme: 'bearer', description: 'The admin token.' },
        token: { type: 'http', scheme: 'bearer', description: 'An access token.' },
        tokenInQuery: {
          type: 'apiKey',
          in: 'query',
          name: 'access_token',
          description: 'An access token in the address, for clients that cannot send headers.',
        },
        app: { type: 'http', scheme: 'basic', description: 'client_id and client_secret.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'tributary-session',
          description:
            "An operator's session in the dashboard, with the header `Tributary-Dashboard: 1`. Over https the name begins with `__Host-`, else it ends with the port.",
        },
      },
      schemas: sorted(components.schemas),
      responses: sharedResponses(),
      examples: errorExamples(baseUrl),
      headers: headerComponents(),
    },
  }
}

function sorted(schemas: Record<string, Schema>): Record<string, Schema> {
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))
}

const IDEMPOTENCY_KEY: Schema = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A text that is new for each request, such as a UUID, in double quotes. The same request with the same key gets the first response again, for 24 hours.',
  schema: { type: 'string' },
}

function describeRoute(components: Components, listed: Listed): Schema {
  const [method, path, route, operationId] = listed
  return {
    tags: [apiGroupOf(path)],
    operationId,
    summary: route.summary,
    security: SECURITY[route.auth],
    parameters: [
      ...describeParameters(components, route.path, 'path'),
      ...describeParameters(components, route.query ?? route.describedQuery, 'query'),
      ...(route.idempotencyKey === undefined ? [] : [IDEMPOTENCY_KEY]),
    ],
    ...(route.body === undefined ? {} : { requestBody: describeBody(components, route, route.body, operationId) }),
    ...(route.uploads === undefined ? {} : { requestBody: describeUpload(route.uploads) }),
    responses: describeResponses(components, method, route),
  }
}

function describeBody(
  components: Components,
  { operatorOnly = {} }: Route | MountedRoute,
  body: NonNullable<Route['body']>,
  operationId: string,
): Schema {
  const schema = toSchema(components, body, 'input')
  const { properties = {} } = schema as { properties?: Record<string, Schema> }
  for (const [field, why] of Object.entries(operatorOnly))
    properties[field] = {
      ...properties[field],
      description: `${String(properties[field]?.['description'])} Only an operator may set it, and no developer: ${why}`,
    }
  const { required = [] } = schema as { required?: string[] }
  return {
    required: required.length > 0 || schema['type'] === 'array',
    content: bodyContent(schema, EXAMPLE_BODIES[operationId] ?? exampleOf(components, schema)),
  }
}

/** A file, as the body itself or in a form. */
function describeUpload(types: readonly string[]): Schema {
  const file = { type: 'string', format: 'binary' }
  const form = { type: 'object', properties: { file }, required: ['file'] }
  return {
    required: true,
    content: Object.fromEntries(types.map((type) => [type, { schema: type === 'multipart/form-data' ? form : file }])),
  }
}

/** Forms are accepted everywhere; listed where all fields are texts or read from texts, so that a form can express the body. */
function bodyContent(schema: Schema, example: unknown): Schema {
  const { properties } = schema as { properties?: Record<string, Schema> }
  const isForm = properties !== undefined && Object.values(properties).every(isTextField)
  return {
    'application/json': { schema, example },
    ...(isForm ? { 'application/x-www-form-urlencoded': { schema } } : {}),
  }
}

/** A number, and an object that may be given as JSON, are read from a text. */
function isTextField(schema: Schema): boolean {
  const { type, anyOf = [] } = schema as { type?: string; anyOf?: { type?: string }[] }
  return ['string', 'integer', 'number'].includes(type ?? '') || anyOf.some((each) => each.type === 'string')
}
