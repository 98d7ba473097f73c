import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { describeApi } from '#http/describe/openapi.ts'
import { ROUTES } from '#http/routes.ts'

type Schema = Record<string, unknown>

interface Answer {
  $ref?: string
  content?: Record<string, { schema?: Schema }>
  'x-reasons'?: string[]
}

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, Answer> }>>
  components: { schemas: Record<string, Schema>; responses: Record<string, Answer> }
}

/** A response as a server sent it. */
export interface SentResponse {
  method: string
  /** The pattern of the route. */
  path: string
  status: number
  type: string
  /** Undefined when there is none, or it is streamed. */
  text: string | undefined
  /** The request has `fields` or `select`, so that items may have any fields. */
  selectsFields: boolean
}

export interface ResponseChecker {
  /** How a response differs from the description; undefined when it does not. */
  mismatch: (response: SentResponse) => string | undefined
}

let checker: ResponseChecker | undefined

/** One for all servers of a process: describing the API and compiling schemas takes longer than most tests. */
export function checkerOf(): ResponseChecker {
  checker ??= createChecker(describeApi(ROUTES, 'test', 'http://tributary.test') as unknown as Document)
  return checker
}

function createChecker(document: Document): ResponseChecker {
  const [whole, selected] = [createValidators(document, false), createValidators(document, true)]
  return {
    mismatch: (sent) => {
      const name = `${sent.method} ${sent.path}`
      const key = sent.path.replace('/:service/*', '/:service/:path').replaceAll(/:(\w+)/g, '{$1}')
      const operation = document.paths[key]?.[sent.method.toLowerCase()]
      if (operation === undefined) return sent.path.startsWith('/proxy/') ? undefined : `${name} is not described`
      const given = operation.responses[sent.status]
      // What a demo service responds.
      if (given === undefined && 'default' in operation.responses) return undefined
      if (given === undefined) return `${name}: the status ${sent.status} is not described: ${excerpt(sent.text)}`
      const answer = given.$ref === undefined ? given : document.components.responses[given.$ref.split('/').at(-1)!]!
      if (sent.text === undefined || sent.text === '') return undefined
      const [type = ''] = sent.type.split(';')
      const { schema } = answer.content?.[type] ?? {}
      if (schema === undefined) return `${name}: ${sent.status} is not described as ${type}`
      if (type !== 'application/json') return undefined
      const validators = sent.selectsFields ? selected : whole
      return mismatchOf(`${name}: ${sent.status}`, validators(schema), JSON.parse(sent.text), answer['x-reasons'])
    },
  }
}

function mismatchOf(
  name: string,
  validate: ValidateFunction,
  body: unknown,
  reasons: string[] | undefined,
): string | undefined {
  if (!validate(body)) {
    const found = (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    )
    return `${name}: ${[...new Set(found)].slice(0, 6).join('; ')} in ${excerpt(JSON.stringify(body))}`
  }
  const { reason } = body as { reason?: string }
  if (reasons === undefined || reason === undefined || reasons.includes(reason)) return undefined
  return `${name}: the reason ${reason} is not described`
}

/** Schemas as the document has them, but without fields that it does not name. */
function createValidators({ components }: Document, selectsFields: boolean): (schema: Schema) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const compiled = new Map<Schema, ValidateFunction>()
  // An item with several types has the fields of all, so `map` of one type may have those of the others.
  const inAnyMap = { propertyNames: { enum: Object.keys(components.schemas['ItemMap']!['properties'] as object) } }
  for (const [name, schema] of Object.entries(components.schemas)) {
    const { additionalProperties, ...open } = closed(schema, selectsFields) as Schema
    const isMap = /[a-z]Map$/.test(name) && additionalProperties === false
    ajv.addSchema(
      isMap
        ? { ...open, ...inAnyMap }
        : { ...open, ...(additionalProperties === undefined ? {} : { additionalProperties }) },
      name,
    )
  }
  return (schema) => {
    let validate = compiled.get(schema)
    if (validate === undefined) {
      validate = ajv.compile(closed(schema, selectsFields) as Schema)
      compiled.set(schema, validate)
    }
    return validate
  }
}

const SELECTED = '#/components/schemas/SelectedItem'

function closed(value: unknown, selectsFields: boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => closed(each, selectsFields))
  if (value === null || typeof value !== 'object') return value
  const schema = value as Schema
  const entries = Object.entries(schema).map(([key, each]): [string, unknown] => {
    if (key === '$ref') return [key, String(each).split('/').at(-1)]
    if (key === 'anyOf' && Array.isArray(each) && !selectsFields)
      return [
        key,
        closed(
          each.filter((one: Schema) => one['$ref'] !== SELECTED),
          selectsFields,
        ),
      ]
    return [key, closed(each, selectsFields)]
  })
  const isOpen = schema['type'] === 'object' && 'properties' in schema && !('additionalProperties' in schema)
  return Object.fromEntries([...entries, ...(isOpen ? [['additionalProperties', false] as const] : [])])
}

function excerpt(text: string | undefined): string {
  return (text ?? '(nothing)').slice(0, 300)
}
