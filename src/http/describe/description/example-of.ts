import { EXAMPLE_ITEMS, EXAMPLE_VALUES } from './example-values.ts'
import { type Components, nameOf, resolve, type Schema } from './schemas.ts'

/** A value for a parameter or field of this name; undefined when there is none that fits everywhere. */
export function exampleValueOf(name: string): unknown {
  return EXAMPLE_VALUES[name]
}

/** Builds an example of a schema: required fields, and optional ones that have a typical value. */
export function exampleOf(components: Components, schema: Schema, name = ''): unknown {
  const ready = EXAMPLE_ITEMS[nameOf(schema) ?? '']
  if (ready !== undefined) return ready
  const found = resolve(components, schema) as Partial<{
    const: unknown
    enum: unknown[]
    anyOf: Schema[]
    allOf: Schema[]
    default: unknown
    type: string | string[]
  }>
  if (found.const !== undefined) return found.const
  const known = EXAMPLE_VALUES[name]
  if (found.enum !== undefined) return found.enum.includes(known) ? known : found.enum[0]
  if (found.default !== undefined && known === undefined) return found.default
  const [first] = found.anyOf ?? found.allOf ?? []
  if (first !== undefined) return exampleOf(components, first, name)
  const [type] = [found.type ?? []].flat()
  if (type === 'object') return objectExample(components, found, name)
  if (type === 'array') return listExample(components, found, name)
  return plainExample(type, name, known)
}

function plainExample(type: string | undefined, name: string, known: unknown): unknown {
  if (type === 'string') return typeof known === 'string' ? known : name === '' ? 'text' : name
  if (type === 'integer' || type === 'number') return typeof known === 'number' ? known : 1
  if (type === 'boolean') return typeof known === 'boolean' ? known : true
  return known ?? {}
}

function objectExample(components: Components, schema: Schema, name: string): unknown {
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = schema as {
    properties?: Record<string, Schema>
    required?: string[]
    additionalProperties?: Schema | boolean
  }
  const shown = Object.entries(properties).filter(([field]) => required.includes(field) || field in EXAMPLE_VALUES)
  const example = Object.fromEntries(shown.map(([field, each]) => [field, exampleOf(components, each, field)]))
  if (typeof additionalProperties !== 'object' || Object.keys(additionalProperties).length === 0) return example
  const key = KEYS_OF[nameOf(schema) ?? name] ?? 'demo-social'
  return { ...example, [key]: exampleOf(components, additionalProperties, key) }
}

/** What the keys of records are, where it is not a service. */
const KEYS_OF: Record<string, string> = { endpoints: 'photos', types: 'photo', checks: 'database' }

function listExample(components: Components, schema: Schema, name: string): unknown[] {
  const { items, prefixItems } = schema as { items?: Schema; prefixItems?: Schema[] }
  const known = EXAMPLE_VALUES[name]
  if (Array.isArray(known)) return known
  if (prefixItems !== undefined) return prefixItems.map((each) => exampleOf(components, each))
  return items === undefined ? [] : [exampleOf(components, items, name.replace(/s$/, ''))]
}
