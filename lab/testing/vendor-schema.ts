import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

interface Validate {
  (value: unknown): boolean
  errors?: { instancePath: string; message?: string; schemaPath: string }[] | null
}
interface Ajv {
  addSchema(schema: object, key: string): void
  compile(schema: object): Validate
}
type AjvClass = new (options: object) => Ajv

/** Says what is wrong with an answer, in one line per fault; nothing when it fits. */
export type SchemaCheck = (pointer: string, value: unknown) => string[]

const folder = new URL('../../test/real/schemas/', import.meta.url)
const load = createRequire(new URL('package.json', folder))

/** The vendor's published OpenAPI description, or why it is not here. */
export function openApiCheck(source: { package: string } | { file: string }): SchemaCheck | string {
  const path = 'file' in source ? fileURLToPath(new URL(source.file, folder)) : resolved(source.package)
  if (path === undefined || !existsSync(path))
    return 'file' in source
      ? `test/real/schemas/${source.file} is not there`
      : 'test/real/schemas is not installed (node test/real/install.mjs schemas)'
  if (resolved('ajv') === undefined) return 'test/real/schemas is not installed (node test/real/install.mjs schemas)'
  const { default: Ajv } = load('ajv') as { default: AjvClass }
  const { default: addFormats } = load('ajv-formats') as { default: (ajv: Ajv) => void }
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, logger: false })
  addFormats(ajv)
  ajv.addSchema(asJsonSchema(JSON.parse(readFileSync(path, 'utf8'))) as object, 'vendor')
  const compiled = new Map<string, Validate>()
  return (pointer, value) => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `vendor#${pointer}` })
    compiled.set(pointer, validate)
    if (validate(value)) return []
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
}

function resolved(name: string): string | undefined {
  try {
    return load.resolve(name)
  } catch {
    return undefined
  }
}

/** The place of an answer's schema in the description. */
export const answerSchema = (path: string, verb = 'get', status = '200', type = 'application/json'): string => {
  const escaped = [path, verb, 'responses', status, 'content', type, 'schema'].map((part) =>
    encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')),
  )
  return `/paths/${escaped.join('/')}`
}

/** OpenAPI 3.0 to JSON Schema: `nullable` becomes a type, and `oneOf` loosens to `anyOf`, because vendors' choices overlap. */
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
