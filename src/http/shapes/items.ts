import { z } from 'zod'
import { CARD_TYPES } from '#kit/read/read-cards.ts'
import { alwaysInMap, CARD_FIELDS, cardFieldsOf, MAP_FIELDS, type MapField, mapFieldsOf } from '#model/items/normal.ts'
import { type BaseType, OWN_TYPES, singularOf } from '#model/items/types.ts'
import { keysOf } from '#platform/formats/keys-of.ts'

const BASE_TYPES: readonly BaseType[] = [...OWN_TYPES, 'contacts']

const card = z.object(CARD_FIELDS).partial().meta({ id: 'Card', description: 'The normalised card of an item.' })

/** All fields of `map`: those that connectors read, and those that are computed from several parts of a record. */
const MAP_SHAPE: Record<MapField, z.ZodType> = {
  ...MAP_FIELDS,
  at: z.number().describe('When it happened, in epoch milliseconds; `at` of the item.'),
  author: MAP_FIELDS.author
    .extend({ id: z.string().nullable().describe('The native id of the service user; null where it is unknown.') })
    .meta({ id: 'Author', description: 'Who made an item, as they appear on it.' }),
  ll: z.tuple([z.number(), z.number()]).describe('Latitude and longitude in degrees.'),
  participants: z
    .record(z.string(), z.object({ author: z.literal(true).optional() }))
    .describe('Service users who took part, by native id; the author is marked.'),
  oembed: card.describe('The card.'),
}
/** Fields that are never null: every item has an id and a time. */
const NEVER_NULL: readonly MapField[] = ['id', 'at']

/** Fields that items of some type always have, null where unknown; so has an item that is of that type, too. */
const NULLABLE = alwaysInMap(BASE_TYPES).filter((field) => !NEVER_NULL.includes(field))

function mapOf(names: readonly MapField[], always: readonly MapField[]) {
  const fields = names.map((field) => {
    const schema = MAP_SHAPE[field]
    const value = NULLABLE.includes(field) ? schema.nullable() : schema
    const described = value.describe(z.globalRegistry.get(schema)?.description ?? '')
    return [field, always.includes(field) ? described : described.optional()] as const
  })
  return z.object(Object.fromEntries(fields))
}

const IN_EVERY_MAP = alwaysInMap(BASE_TYPES).filter((field) =>
  BASE_TYPES.every((type) => alwaysInMap([type]).includes(field)),
)
const map = mapOf([...new Set([...IN_EVERY_MAP, ...keysOf(MAP_SHAPE)])], IN_EVERY_MAP).meta({
  id: 'ItemMap',
  description: 'Normalised values. Which of them an item always has depends on its types; null where unknown.',
})

/** Items as the API returns them, whatever their type. */
export const item = z
  .object({
    id: z.string().describe('The global id. It never changes.'),
    idr: z.string().describe('The IDR: `type:owner@service/endpoint#id`.'),
    at: z.number().describe('When it happened, in epoch milliseconds.'),
    updated: z.number().describe('When its content last changed, in epoch milliseconds.'),
    data: z.unknown().describe('The record as the service sent it, unchanged.'),
    types: z
      .record(z.string(), z.literal(true))
      .describe('Singular names of its types; for items of a feed also the name of the feed type.'),
    guid: z.string().optional().describe('Dedupe keys, separated by spaces, by which copies are found.'),
    copy_of: z.string().optional().describe('With `copy_of=true`, of a copy: the global id of the original.'),
    oembed: card.optional().describe('The normalised card; where items are listed by type.'),
    map: map.optional().describe('With `map=true`.'),
  })
  .meta({ id: 'Item', description: 'One record of a service, in the format that all services share.' })

/** What `fields` and `select` leave of an item. */
export const selectedItem = z.looseObject({}).meta({
  id: 'SelectedItem',
  description:
    'With `fields`: a flat object by path, and null for a missing field. With `select`: an item with only these fields.',
})

/** The item of each type: which fields its `map` and its card may have. An item with several types has the fields of all. */
const typedItems = BASE_TYPES.map((type) => {
  const name = nameOf(type)
  const typedMap = mapOf(mapFieldsOf(type), alwaysInMap([type]))
  const typedCard = pickOptional(CARD_FIELDS, cardFieldsOf(type))
  const label = CARD_TYPES[type]
  return item
    .extend({
      types: z.object({ [singularOf(type)]: z.literal(true) }).catchall(z.literal(true)),
      oembed: typedCard
        .meta({
          id: `${name}Card`,
          description: `The card of an item of the type \`${type}\`; its \`type\` is \`${label}\`.`,
        })
        .optional(),
      map: typedMap
        .meta({ id: `${name}Map`, description: `Normalised values of an item of the type \`${type}\`.` })
        .optional(),
    })
    .meta({ id: `${name}Item`, description: `An item of the type \`${type}\`.` })
})

/** `PhotoItem` is the schema of `photos`. */
function nameOf(type: BaseType): string {
  const name = singularOf(type)
  return name.charAt(0).toUpperCase() + name.slice(1)
}

function pickOptional<Shape extends Record<string, z.ZodType>>(shape: Shape, names: readonly (keyof Shape)[]) {
  const picked = names.map((name) => [name, shape[name]!.optional()] as const)
  return z.object(Object.fromEntries(picked)).catchall(z.unknown())
}

/** The name of the schema of each type, for the description of the API. */
export const SCHEMA_OF_TYPE: Record<string, string> = Object.fromEntries(
  BASE_TYPES.map((type) => [type, `${nameOf(type)}Item`]),
)

export const oneItem = z.union([item, selectedItem])
export const itemList = z.array(oneItem)
/** Items of known types. */
export const typedItemList = z.array(z.union([...typedItems, selectedItem]))

const summary = z
  .object({
    count: z.int(),
    oldest: z.number().optional(),
    newest: z.number().optional(),
    last_sync: z.number().optional().describe('Of an endpoint: when it was last read.'),
  })
  .meta({ id: 'CountSummary', description: 'With `rich=true`.' })

export const itemCounts = z
  .record(z.string(), z.union([z.int(), summary]))
  .meta({ id: 'ItemCounts', description: 'How many items there are, by endpoint or type.' })

export const change = z
  .union([
    z.object({ change: z.literal('upsert'), item: oneItem }),
    z.object({ change: z.literal('delete'), id: z.string(), idr: z.string(), deleted_at: z.int() }),
    z.object({ change: z.literal('profile_removed'), profile: z.string() }),
  ])
  .meta({
    id: 'Change',
    description: 'A new or changed item, a deleted one, or a profile all of whose items must be dropped.',
  })
