type Schema = Record<string, unknown>

/** `Error` is JavaScript's own. */
export function nameOf(component: string): string {
  return component === 'Error' ? 'ErrorBody' : component
}

/** A JSON Schema as a TypeScript type. */
export function typeOf(schema: Schema | undefined): string {
  if (schema === undefined) return 'unknown'
  const {
    $ref,
    enum: values,
    const: constant,
    anyOf,
    oneOf,
    allOf,
    type,
  } = schema as {
    $ref?: string
    enum?: unknown[]
    const?: unknown
    anyOf?: Schema[]
    oneOf?: Schema[]
    allOf?: Schema[]
    type?: string | string[]
  }
  if ($ref !== undefined) return nameOf($ref.split('/').at(-1)!)
  if (constant !== undefined) return JSON.stringify(constant)
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (anyOf ?? oneOf) return unique((anyOf ?? oneOf)!.map(typeOf)).join(' | ')
  if (allOf !== undefined) return allOf.map((each) => `(${typeOf(each)})`).join(' & ')
  if (Array.isArray(type)) return unique(type.map((each) => typeOf({ ...schema, type: each }))).join(' | ')
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type
    case 'number':
    case 'integer':
      return 'number'
    case 'array':
      return arrayOf(schema)
    case 'object':
      return objectOf(schema)
    case undefined:
    default:
      return 'unknown'
  }
}

function arrayOf(schema: Schema): string {
  const { prefixItems, items } = schema as { prefixItems?: Schema[]; items?: Schema }
  if (prefixItems !== undefined) return `[${prefixItems.map(typeOf).join(', ')}]`
  const each = typeOf(items)
  return /^\w+$/.test(each) ? `${each}[]` : `(${each})[]`
}

function objectOf(schema: Schema): string {
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = schema as {
    properties?: Record<string, Schema>
    required?: string[]
    additionalProperties?: boolean | Schema
  }
  const names = Object.keys(properties)
  const fields = names.map((name) => {
    const { description } = properties[name] as { description?: string }
    const about =
      description === undefined ? '' : `/** ${description.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */\n`
    return `${about}${/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${optional(name)}`
  })
  function optional(name: string): string {
    const type = typeOf(properties[name])
    return required.includes(name) || type === 'unknown' ? type : `${type} | undefined`
  }
  const others = otherFields(additionalProperties)
  // TypeScript requires that the named fields fit the type of all others.
  const all = others === undefined ? [] : others === 'unknown' ? ['unknown'] : [others, ...names.map(optional)]
  if (all.length > 0) fields.push(`[field: string]: ${unique(all).join(' | ')}`)
  return fields.length === 0 ? 'Record<string, never>' : `{\n${fields.join('\n')}\n}`
}

function otherFields(additional: boolean | Schema | undefined): string | undefined {
  if (additional === undefined || additional === false) return undefined
  return additional === true ? 'unknown' : typeOf(additional)
}

function unique(types: string[]): string[] {
  return [...new Set(types)]
}
