import type { z } from 'zod'
import { exampleValueOf } from './example-of.ts'
import { type Components, type Schema, toSchema } from './schemas.ts'

/** Describes the parameters of a path or a query. */
export function describeParameters(
  components: Components,
  shape: z.ZodObject | undefined,
  where: 'path' | 'query',
): Schema[] {
  if (shape === undefined) return []
  const { properties = {}, required = [] } = toSchema(components, shape, 'input') as {
    properties?: Record<string, Schema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...schema }]) => {
    const value = { ...asWritten(shape.shape[name] as z.ZodType, schema), ...defaultOf(shape.shape[name] as z.ZodType) }
    const isRequired = where === 'path' || required.includes(name)
    const example = exampleValueOf(name)
    return {
      name,
      in: where,
      required: isRequired,
      ...(description === undefined ? {} : { description }),
      schema: value,
      ...(isRequired ? { example: example ?? name } : {}),
    }
  })
}

/** All parameters are strings; those that are read as numbers or booleans are described as such. */
function asWritten(schema: z.ZodType, described: Schema): Schema {
  if (typeof read(schema, 'true') === 'boolean') return { type: 'boolean' }
  if (typeof read(schema, '0.5') === 'number') return { type: 'number' }
  if (typeof read(schema, '1') === 'number') return { type: 'integer' }
  return described
}

function read(schema: z.ZodType, text: string): unknown {
  return schema.safeParse(text).data
}

function defaultOf(schema: z.ZodType): Schema {
  const { type, defaultValue } = schema.def as { type: string; defaultValue?: unknown }
  if (type !== 'default' || defaultValue === '') return {}
  return { default: defaultValue }
}
