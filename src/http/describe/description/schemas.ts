import { z } from 'zod'

export type Schema = Record<string, unknown>
export type Io = 'input' | 'output'

/** Named schemas of the description, collected while routes are described. */
export interface Components {
  schemas: Record<string, Schema>
}

const PREFIX = '#/components/schemas/'

/** Converts a schema to JSON Schema. Schemas with a name (`meta({ id })`) become references to components. */
export function toSchema(components: Components, schema: z.ZodType, io: Io): Schema {
  const { $schema: _, $defs = {}, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema
  for (const [name, definition] of Object.entries($defs as Record<string, Schema>)) {
    const known = components.schemas[name]
    const cleaned = clean(definition, io) as Schema
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(cleaned))
      throw new Error(`two schemas are named ${name}`)
    components.schemas[name] = cleaned
  }
  return clean(rest, io) as Schema
}

/** The schema that a reference names. */
export function resolve(components: Components, schema: Schema): Schema {
  const { $ref: reference } = schema as { $ref?: string }
  if (reference === undefined) return schema
  return components.schemas[reference.slice(PREFIX.length)] ?? {}
}

/** The name of the component that a reference names. */
export function nameOf({ $ref: reference }: { $ref?: string }): string | undefined {
  return reference?.slice(PREFIX.length)
}

/** What the generator adds and says nothing: bounds of exact integers, names of records, and that responses never get new fields. */
function clean(value: unknown, io: Io): unknown {
  if (Array.isArray(value)) return value.map((each) => clean(each, io))
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).flatMap(([key, each]): [string, unknown][] => {
    if (key === '$ref' && typeof each === 'string') return [[key, each.replace('#/$defs/', PREFIX)]]
    if (key === 'propertyNames' && JSON.stringify(each) === '{"type":"string"}') return []
    if (key === 'additionalProperties' && each === false && io === 'output') return []
    if ((key === 'maximum' || key === 'minimum') && Math.abs(Number(each)) === Number.MAX_SAFE_INTEGER) return []
    return [[key, clean(each, io)]]
  })
  return Object.fromEntries(entries)
}
