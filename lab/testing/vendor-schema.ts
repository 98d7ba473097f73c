import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

interface Validate {
  (value: unknown): boolean
  errors?: { instancePath: string; message?: string; params?: { additionalProperty?: string } }[] | null
}
interface Ajv {
  addSchema(schema: object, key: string): void
  compile(schema: object): Validate
}
type AjvClass = new (options: object) => Ajv

/** Returns the schema errors of a response, one line each; empty if it is valid. */
export type SchemaCheck = (pointer: string, value: unknown) => string[]

export const notInstalled = 'test/real/schemas is not installed (node test/real/install.mjs schemas)'
const folder = new URL('../../test/real/schemas/', import.meta.url)
const load = createRequire(new URL('package.json', folder))

/** A check against the vendor's published OpenAPI description, or the reason why it is not installed. */
export function openApiCheck(packagedFile: string): SchemaCheck | string {
  const text = packaged(packagedFile)
  if (text === undefined) return notInstalled
  return schemaCheck(asJsonSchema(JSON.parse(text)) as object)
}

/** A check of values against parts of one schema, selected by JSON pointer. */
export function schemaCheck(schema: object): SchemaCheck {
  const { default: Ajv } = load('ajv') as { default: AjvClass }
  const { default: addFormats } = load('ajv-formats') as { default: (ajv: Ajv) => void }
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, logger: false })
  addFormats(ajv)
  ajv.addSchema(schema, 'vendor')
  const compiled = new Map<string, Validate>()
  return (pointer, value) => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `vendor#${pointer}` })
    compiled.set(pointer, validate)
    if (validate(value)) return []
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      `${instancePath} ${message} ${params?.additionalProperty ?? ''}`.trim(),
    )
  }
}

/** The text of a file in a package of test/real/schemas; undefined if not installed. */
export function packaged(file: string): string | undefined {
  try {
    return readFileSync(new URL(`node_modules/${file}`, folder), 'utf8')
  } catch {
    return undefined
  }
}

/** A module of test/real/schemas; the caller declares its type. */
export const packagedProgram = (name: string): unknown => load(name)

/** The JSON pointer of a response's schema in the description. */
export const responseSchema = (path: string, verb = 'get', status = '200', type = 'application/json'): string => {
  const escaped = [path, verb, 'responses', status, 'content', type, 'schema'].map((part) =>
    encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')),
  )
  return `/paths/${escaped.join('/')}`
}

/** OpenAPI 3.0 to JSON Schema: `nullable` becomes a type; `oneOf` becomes `anyOf` because vendors' alternatives overlap. */
function asJsonSchema(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(asJsonSchema)
  if (typeof node !== 'object' || node === null) return node
  const { nullable, oneOf, discriminator: _, example: __, examples: ___, ...rest } = node as Record<string, unknown>
  const plain: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(rest)) plain[name] = asJsonSchema(value)
  if (Array.isArray(oneOf)) plain['anyOf'] = oneOf.map(asJsonSchema)
  else if (oneOf !== undefined) plain['oneOf'] = asJsonSchema(oneOf)
  if (nullable === true) return { anyOf: [plain, { type: 'null' }] }
  if (nullable !== undefined && nullable !== false) plain['nullable'] = asJsonSchema(nullable)
  return plain
}
