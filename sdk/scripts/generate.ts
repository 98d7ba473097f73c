import { describeApi } from '../../src/http/describe/openapi.ts'
import { ROUTES } from '../../src/http/routes.ts'
import { nameOf, typeOf } from './schema-types.ts'

type Schema = Record<string, unknown>

interface Described {
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[]
  requestBody?: { required?: boolean; content: Record<string, { schema?: Schema }> }
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>
  summary?: string
}

/**
 * The types of the SDK, written from the OpenAPI document. `openapi-typescript` would do, too; it brings twenty packages, and a query
 * that the SDK reads as numbers, booleans and lists would still have to be described here.
 */
export function apiTypes(): string {
  const document = describeApi(ROUTES, '0', 'https://tributary.example.com') as {
    paths: Record<string, Record<string, Described>>
    components: { schemas: Record<string, Schema> }
  }
  const components = Object.entries(document.components.schemas).map(
    ([name, schema]) => `${comment(schema['description'])}export type ${nameOf(name)} = ${typeOf(schema)}\n`,
  )
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => operation(`${method.toUpperCase()} ${path}`, described)),
  )
  return indented(`// Written from the OpenAPI document (npm run docs). Do not edit.

${components.join('\n')}
/** Every operation, by method and path. */
export interface Operations {
${operations.join('\n')}
}
`)
}

/** Indents lines by the braces around them. */
function indented(text: string): string {
  let depth = 0
  const lines = text.split('\n').map((line) => {
    const isComment = line.startsWith('/')
    const [opened = 0, closed = 0] = isComment ? [] : [/\{/g, /\}/g].map((brace) => line.match(brace)?.length ?? 0)
    const indent = line.startsWith('}') ? depth - 1 : depth
    depth += opened - closed
    return line === '' ? '' : `${'  '.repeat(indent)}${line}`
  })
  return lines.join('\n')
}

function operation(key: string, described: Described): string {
  const success = Object.entries(described.responses).find(([status]) => status.startsWith('2'))?.[1]
  const body = described.requestBody?.content['application/json']?.schema
  return `${comment(described.summary)}'${key}': {
query: ${queryOf(described)}
body: ${body === undefined ? 'undefined' : typeOf(body)}
response: ${typeOf(success?.content?.['application/json']?.schema)}
}`
}

/** Queries are texts on the wire; the SDK writes numbers, booleans and lists as texts. */
function queryOf({ parameters = [] }: Described): string {
  const query = parameters.filter((each) => each.in === 'query' && each.name !== 'access_token')
  if (query.length === 0) return 'undefined'
  const isOptional = query.every(({ required }) => required !== true)
  const fields = query.map(
    ({ name, required, description, schema }) =>
      `${comment(description)}${name}${required === true ? '' : '?'}: ${queryValue(schema)}`,
  )
  return `{\n${fields.join('\n')}\n}${isOptional ? ' | undefined' : ''}`
}

function queryValue(schema: Schema): string {
  const { enum: values } = schema as { enum?: unknown[] }
  if (values?.includes('true') === true || schema['type'] === 'boolean') return 'boolean | undefined'
  if (values !== undefined) return `${typeOf(schema)} | undefined`
  return 'string | number | readonly (string | number)[] | undefined'
}

function comment(text: unknown): string {
  return typeof text === 'string' && text !== ''
    ? `/** ${text.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */\n`
    : ''
}
