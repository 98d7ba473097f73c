import { z } from 'zod'
import { DESTINATION_KINDS, type DestinationKind } from '#model/apps/destination.ts'
import type { DeliverDeps } from '../deps.ts'
import { optionsOf } from './destination-options.ts'

/** `lines`: a text of several lines. `json`: any other value, written as JSON. */
export const OPTION_TYPES = ['text', 'lines', 'choice', 'flag', 'json'] as const

/** An option of a kind of destination, as a form can show it. */
export interface OptionDescription {
  name: string
  type: (typeof OPTION_TYPES)[number]
  description: string
  choices?: string[]
  default?: unknown
  example?: unknown
}

export interface KindDescription {
  kind: DestinationKind
  /** Whether it has a signing secret. */
  signed: boolean
  options: OptionDescription[]
}

/** Every kind with its options, from the schemas that check them. */
export function describeKinds({ connections }: Pick<DeliverDeps, 'connections'>): KindDescription[] {
  return DESTINATION_KINDS.map((name) => {
    const kind = connections.kindOf(name)
    const { properties = {} } = z.toJSONSchema(optionsOf(kind), { io: 'input', unrepresentable: 'any' })
    const options = Object.entries(properties).flatMap(([option, schema]) =>
      typeof schema === 'boolean' ? [] : [describeOption(option, schema)],
    )
    return { kind: name, signed: kind.newSigning !== undefined, options }
  })
}

type Schema = z.core.JSONSchema.JSONSchema

function describeOption(name: string, schema: Schema): OptionDescription {
  const [example] = Array.isArray(schema.examples) ? schema.examples : []
  return {
    name,
    type: typeOf(schema),
    description: plain(schema.description ?? ''),
    ...(schema.enum === undefined ? {} : { choices: schema.enum.map(String) }),
    ...(schema.default === undefined ? {} : { default: schema.default }),
    ...(example === undefined ? {} : { example }),
  }
}

function typeOf(schema: Schema): OptionDescription['type'] {
  if (schema.enum !== undefined) return 'choice'
  if (schema.type === 'boolean') return 'flag'
  if (schema.type === 'string') return schema['multiline'] === true ? 'lines' : 'text'
  return 'json'
}

/** Descriptions are written for a page with sections; elsewhere its links lead nowhere. */
function plain(markdown: string): string {
  return markdown.replaceAll(/\[([^[\]]{1,80})\]\([^()]{1,80}\)/g, '$1')
}
