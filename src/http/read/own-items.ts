import { z } from 'zod'
import { deleteOwnItem } from '#flows/sync/own-items/delete-own-item.ts'
import { storeOwnItems } from '#flows/sync/own-items/store-own-items.ts'
import { OWN_TYPE_NAMES, ownType } from '#kit/connector/own-items.ts'
import { MAX_DEDUPE_KEY, MAX_GIVEN_KEYS } from '#model/items/dedupe-keys.ts'
import { text } from '../request/parameters.ts'
import { route } from '../server/route.ts'
import { deleted } from '../shapes/deleted.ts'

/** Limit (sync): own items in one request; more is answered with 400. */
const MAX_ITEMS = 1000
/** Limit: the last time that a JavaScript date can represent, in epoch milliseconds; a later one is answered with 400. */
const MAX_TIME_MS = 8.64e15

const id = z.union([
  z
    .string()
    .min(1)
    .max(500)
    .refine((text) => !text.includes('\0') && text.isWellFormed(), 'must be plain text'),
  z.int(),
])
/** One text, or a list of texts or numbers. */
function isGuid(value: unknown): boolean {
  const texts = value === undefined || value === null ? [] : [value].flat()
  if (!texts.every((text) => typeof text === 'string' || typeof text === 'number')) return false
  const dedupeKeys = texts.flatMap((text) => String(text).split(/\s+/)).filter((dedupeKey) => dedupeKey !== '')
  return dedupeKeys.length <= MAX_GIVEN_KEYS && dedupeKeys.every(({ length }) => length <= MAX_DEDUPE_KEY)
}

const item = z
  .looseObject({
    id: id.describe('Unique among the items of this endpoint.'),
    at: z.int().min(-MAX_TIME_MS).max(MAX_TIME_MS).optional().describe('Epoch milliseconds. Default: now.'),
    type: z
      .string()
      .refine((name) => ownType(name) !== undefined, `must be one of ${OWN_TYPE_NAMES.join(', ')}`)
      .optional()
      .describe('A type such as `photos`; the item is then also listed at `/types/*`.'),
    guid: z
      .unknown()
      .refine(
        isGuid,
        `must be text: at most ${MAX_GIVEN_KEYS} dedupe keys of ${MAX_DEDUPE_KEY} characters, separated by spaces`,
      )
      .optional()
      .describe('Dedupe keys, separated by spaces: items that share one are copies of one thing.'),
    lat: z.number().min(-90).max(90).optional().describe('Degrees north. Only with `lng`.'),
    lng: z.number().min(-180).max(180).optional().describe('Degrees east. Only with `lat`.'),
  })
  .superRefine(({ lat, lng }, context) => {
    if ((lat === undefined) === (lng === undefined)) return
    const [given, missing] = lat === undefined ? ['lng', 'lat'] : ['lat', 'lng']
    context.addIssue({ code: 'custom', path: [given], message: `was given without ${missing}` })
  })
  .describe('All other fields are stored unchanged.')
const endpoint = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,49}$/, 'must be lower-case letters, digits, “_” and “-”')
  .describe('Any name.')

export const storeOwn = route({
  auth: 'account',
  auditedAs: 'items.store',
  idempotencyKey: true,
  summary: "Store the app's own items for the account; items with a known id are replaced",
  path: z.object({ endpoint }),
  body: z.array(item).max(MAX_ITEMS, `must be at most ${MAX_ITEMS} items`),
  response: z
    .object({ added: z.int(), changed: z.int(), unchanged: z.int() })
    .meta({ id: 'StoredItems', description: 'How many of the given items are new, changed or unchanged.' }),
  reasons: ['quota_reached'],
  run: (deps, { path, body, account }) => storeOwnItems(deps, account, path.endpoint, body),
})

export const deleteOwn = route({
  auth: 'account',
  auditedAs: 'items.delete',
  summary: "Delete one of the app's own items",
  path: z.object({ endpoint, id: text('The id of the item.') }),
  response: deleted,
  reasons: ['not_found'],
  run: async (deps, { path, account }) => {
    await deleteOwnItem(deps, account, path.endpoint, path.id)
    return { deleted: path.id }
  },
})
