import { z } from 'zod'
import { storeOwnItems } from '#flows/sync/own-items/store-own-items.ts'
import { route } from './route.ts'

/** Limit: own items in one request; more is answered with 400. */
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
const item = z
  .looseObject({
    id: id.describe('Unique among the items of this endpoint.'),
    at: z.int().min(-MAX_TIME_MS).max(MAX_TIME_MS).optional().describe('Epoch milliseconds. Default: now.'),
    type: z
      .string()
      .max(100)
      .optional()
      .describe('A type such as `photos`; the item is then also listed at `/types/*`.'),
  })
  .describe('All other fields are stored unchanged.')

export const storeOwn = route({
  auth: 'account',
  summary: "Store the app's own items for the account; items with a known id are replaced",
  path: z.object({
    endpoint: z
      .string()
      .regex(/^[a-z][a-z0-9_-]{0,49}$/, 'must be lower-case letters, digits, “_” and “-”')
      .describe('Any name.'),
  }),
  body: z.array(item).max(MAX_ITEMS, `must be at most ${MAX_ITEMS} items`),
  response: z.object({ added: z.int(), changed: z.int(), unchanged: z.int() }),
  reasons: ['quota_reached'],
  run: (deps, { path, body, account }) => storeOwnItems(deps, account, path.endpoint, body),
})
