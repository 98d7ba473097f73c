import { API_GROUPS } from '../api-groups.ts'

/** A JSON Schema, as far as the reference shows it. */
export interface ShownSchema {
  $ref?: string
  type?: string | string[]
  description?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  anyOf?: ShownSchema[]
  items?: ShownSchema
  prefixItems?: ShownSchema[]
  properties?: Record<string, ShownSchema>
  required?: string[]
  additionalProperties?: ShownSchema | boolean
}

export interface ShownParameter {
  name: string
  in: string
  required: boolean
  description?: string
  schema: ShownSchema
  example?: string | number | boolean
}

interface Media {
  schema?: ShownSchema
  example?: unknown
}

export interface ShownResponse {
  description: string
  headers?: Record<string, unknown>
  content?: Record<string, Media>
  'x-reasons'?: string[]
}

interface Operation {
  tags: string[]
  operationId: string
  summary: string
  security: Record<string, unknown>[]
  parameters: ShownParameter[]
  requestBody?: { required: boolean; content: Record<string, Media> }
  responses: Record<string, ShownResponse | { $ref: string }>
}

interface Document {
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, ShownSchema>
    responses: Record<string, ShownResponse>
    headers: Record<string, { description: string }>
  }
}

export type Caller = 'admin' | 'token' | 'app' | undefined

/** An operation of the reference: one route, ready to be shown. */
export interface ShownOperation {
  id: string
  method: string
  path: string
  summary: string
  caller: Caller
  parameters: ShownParameter[]
  body: { schema: ShownSchema; example: unknown; types: string[]; required: boolean } | undefined
  responses: [status: string, response: ShownResponse][]
}

export interface Reference {
  baseUrl: string
  groups: { name: string; about: string; operations: ShownOperation[] }[]
  schemas: [name: string, schema: ShownSchema][]
  headers: Record<string, { description: string }>
}

/** Reads the OpenAPI document into what the page, its markdown twin and `llms.txt` show. */
export function readReference(described: unknown): Reference {
  const document = described as Document
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tag: operation.tags[0],
      shown: show(document, method, path, operation),
    })),
  )
  return {
    baseUrl: document.servers[0]?.url ?? '',
    groups: API_GROUPS.map(({ name, about }) => ({
      name,
      about,
      operations: all.filter(({ tag }) => tag === name).map(({ shown }) => shown),
    })),
    schemas: Object.entries(document.components.schemas),
    headers: document.components.headers,
  }
}

function show({ components }: Document, method: string, path: string, operation: Operation): ShownOperation {
  const { requestBody } = operation
  const media = requestBody?.content['application/json']
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    summary: operation.summary,
    caller: Object.keys(operation.security[0] ?? {})[0] as Caller,
    parameters: operation.parameters,
    body:
      requestBody === undefined
        ? undefined
        : {
            schema: media?.schema ?? {},
            example: media?.example,
            types: Object.keys(requestBody.content),
            required: requestBody.required,
          },
    responses: Object.entries(operation.responses).map(([status, response]) => [
      status,
      '$ref' in response ? components.responses[response.$ref.split('/').at(-1) ?? '']! : response,
    ]),
  }
}

export const CALLERS: Record<NonNullable<Caller>, string> = {
  admin: 'the admin token',
  token: 'an access token',
  app: 'client_id and client_secret',
}

/** The anchor of a group. */
export function anchorOf(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-')
}

/** Parts of a type's description: text, and names of schemas. */
export type TypePart = string | { schema: string }

/** A type in a few words, such as `Item[]` or `string or null`. */
export function typeParts(schema: ShownSchema): TypePart[] {
  if (schema.$ref !== undefined) return [{ schema: schema.$ref.split('/').at(-1) ?? '' }]
  if (schema.const !== undefined) return [JSON.stringify(schema.const)]
  if (schema.enum !== undefined) return [schema.enum.map((value) => JSON.stringify(value)).join(' | ')]
  if (schema.anyOf !== undefined)
    return schema.anyOf.flatMap((each, i) => [...(i === 0 ? [] : [' | ']), ...typeParts(each)])
  const types = [schema.type ?? 'any'].flat()
  if (schema.prefixItems !== undefined)
    return ['[', ...schema.prefixItems.flatMap((each, i) => [...(i === 0 ? [] : [', ']), ...typeParts(each)]), ']']
  if (types[0] === 'array') {
    const parts = typeParts(schema.items ?? {})
    return parts.length === 1 ? [...parts, '[]'] : ['(', ...parts, ')[]']
  }
  if (types[0] === 'object' && typeof schema.additionalProperties === 'object')
    return ['{ name: ', ...typeParts(schema.additionalProperties), ' }']
  return [types.join(' | ')]
}

export interface FieldRow {
  name: string
  where?: string
  required: boolean
  type: TypePart[]
  default: unknown
  description: string
}

/** One row for each field of an object. */
export function fieldRows({ properties = {}, required = [] }: ShownSchema): FieldRow[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    required: required.includes(name),
    type: typeParts(schema),
    default: schema.default,
    description: schema.description ?? '',
  }))
}

export function parameterRow({ name, in: where, required, description, schema }: ShownParameter): FieldRow {
  return { name, where, required, type: typeParts(schema), default: schema.default, description: description ?? '' }
}
