import { notInstalled, packaged, packagedProgram, type SchemaCheck, schemaCheck } from './vendor-schema.ts'

interface Name {
  name: string
}
interface Member {
  type: string
  key: Name
  optional?: boolean
  typeAnnotation: { typeAnnotation: Type }
}
/** The parser's node for a type; each kind sets its own fields. */
interface Type {
  type: string
  members: Member[]
  types: Type[]
  elementType: Type
  typeAnnotation: Type
  literal: { value: unknown }
  typeName: Name
  typeArguments?: { params: Type[] }
}
interface Statement {
  type: string
  id?: Name
  body: { body: Member[] }
  typeAnnotation: Type
}
interface Parser {
  parse(text: string, options: object): { program: { body: Statement[] } }
}

/** The interfaces of a vendor's client, which the vendor generates from its OpenAPI description. */
export interface PublishedTypes {
  check(type: string, value: unknown): string[]
  /** The allowed values of a request's list option. */
  choices(type: string, option: string): string[]
}

interface Source {
  file: string
  /** Property names in responses that differ from the client's names. */
  wireName: (name: string) => string
  /** Incomplete interfaces, which may have additional properties. */
  open?: string[]
}

const simple: Record<string, object> = {
  TSStringKeyword: { type: 'string' },
  TSNumberKeyword: { type: 'number' },
  TSBooleanKeyword: { type: 'boolean' },
  TSNullKeyword: { type: 'null' },
  TSAnyKeyword: {},
}

/**
 * Converts the declarations to JSON Schema that rejects additional properties. An unsupported declaration
 * is an error, so that nothing passes unchecked.
 */
export function publishedTypes({ file, wireName, open = [] }: Source): PublishedTypes | string {
  const text = packaged(file)
  if (text === undefined) return notInstalled
  const parser = packagedProgram('@babel/parser') as Parser
  const { program } = parser.parse(text, { sourceType: 'module', plugins: [['typescript', { dts: true }]] })
  const declared = new Map(program.body.flatMap((one) => (one.id === undefined ? [] : [[one.id.name, one] as const])))
  const definitions: Record<string, object> = {}

  function refer(name: string): object {
    const statement = declared.get(name)
    if (statement === undefined) throw new Error(`${file} declares no ${name}`)
    if (definitions[name] === undefined) {
      definitions[name] = {}
      definitions[name] =
        statement.type === 'TSInterfaceDeclaration'
          ? record(statement.body.body, open.includes(name))
          : schemaOf(statement.typeAnnotation)
    }
    return { $ref: `#/definitions/${name}` }
  }

  function record(members: Member[], isOpen: boolean): object {
    const named = members.filter(({ type }) => type === 'TSPropertySignature')
    const others = members.find(({ type }) => type !== 'TSPropertySignature')
    if (others !== undefined && others.type !== 'TSIndexSignature') throw new Error(`${file} has ${others.type}`)
    const entries = named.map(({ key, typeAnnotation }) => [
      wireName(key.name),
      schemaOf(typeAnnotation.typeAnnotation),
    ])
    return {
      type: 'object',
      properties: Object.fromEntries(entries),
      required: named.filter(({ optional }) => optional !== true).map(({ key }) => wireName(key.name)),
      additionalProperties: isOpen || others !== undefined,
    }
  }

  function schemaOf(node: Type): object {
    const plain = simple[node.type]
    if (plain !== undefined) return plain
    if (node.type === 'TSTypeLiteral') return record(node.members, false)
    if (node.type === 'TSUnionType') return { anyOf: node.types.map(schemaOf) }
    if (node.type === 'TSParenthesizedType') return schemaOf(node.typeAnnotation)
    if (node.type === 'TSLiteralType') return { const: node.literal.value }
    if (node.type === 'TSArrayType') return { type: 'array', items: schemaOf(node.elementType) }
    if (node.type !== 'TSTypeReference') throw new Error(`${file} has a ${node.type}`)
    const [first, second] = node.typeArguments?.params ?? []
    if (node.typeName.name === 'Array' && first) return { type: 'array', items: schemaOf(first) }
    if (node.typeName.name === 'Record' && second) return { type: 'object', additionalProperties: schemaOf(second) }
    return refer(node.typeName.name)
  }

  const checks = new Map<string, SchemaCheck>()
  return {
    check(type, value) {
      const pointer = `/definitions/${type}`
      if (!checks.has(type)) {
        refer(type)
        checks.set(type, schemaCheck({ definitions }))
      }
      return checks.get(type)?.(pointer, value) ?? []
    },
    choices(type, option) {
      const found = declared.get(type)?.body.body.find(({ key }) => key?.name === option)
      const words = found?.typeAnnotation.typeAnnotation.typeArguments?.params[0]?.types ?? []
      return words.map(({ literal }) => String(literal.value))
    },
  }
}

/** Converts the client's camelCase to snake_case as on the wire. */
export const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
