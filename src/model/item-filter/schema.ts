import { z } from 'zod'
import { flag } from '../input.ts'
import { DEFAULT_LIMIT } from '../query.ts'
import { fieldPaths } from './field-paths.ts'
import { near, within } from './near.ts'
import { participants } from './participants.ts'

const WHOLE = /^-?\d{1,16}$/

const time = (meaning: string) =>
  z
    .string()
    .regex(WHOLE, 'must be a whole number: epoch milliseconds')
    .transform(Number)
    .refine(Number.isSafeInteger, 'must be a whole number: epoch milliseconds')
    .optional()
    .describe(meaning)

/** Limit: items that one request may ask for; beyond it numbers stop being exact. More is answered with 400. */
const MAX_LIMIT = 1e15

const limit = z
  .string()
  .regex(/^\d+$/, 'must be a whole number, 0 or more')
  .transform((text) => Math.min(Number(text), MAX_LIMIT))
  .default(DEFAULT_LIMIT)
  .describe('How many; no maximum, answers are streamed.')

const before = z
  .string()
  .regex(/^-?\d{1,16}_[0-9a-f]{32}(_[0-9a-f]{9})?$/, 'must be <at>_<id> of an item')
  .transform((text) => {
    const [at = '', id = ''] = text.split('_')
    return { at: Number(at), id }
  })
  .optional()
  .describe('Only what comes after this item: `<at>_<id>` of the last one read.')

/** Limit: characters of a search; more is answered with 400. */
const MAX_SEARCH = 1000
/** Limit: characters of the list of services in one query; more is answered with 400. */
const MAX_SERVICES_LIST = 2000

/** How single items are shown. */
export const showing = {
  map: flag('Add `map` with normalised data.'),
  fields: fieldPaths('Comma list of paths: a flat object keyed by them; a missing one is null.'),
  select: fieldPaths('The same paths with their structure kept; missing ones are left out.'),
}

/** What `/services/*` and `/types/*` take. */
export const itemQuery = z.object({
  limit,
  since: time('Oldest time wanted, inclusive. Default 0.'),
  until: time('Newest time wanted, inclusive. Default now.'),
  before,
  sort: z.enum(['asc', 'desc']).default('desc').describe('`desc` newest first, `asc` oldest first.'),
  q: z
    .string()
    .max(MAX_SEARCH)
    .refine((text) => !text.includes('\0'), 'must not hold NUL')
    .optional()
    .describe('Full-text search: words, `"phrases"`, `-without`, a last `beginning*`.'),
  participants,
  near,
  within,
  dedup: flag('Keep one item per `guid`: the earliest.'),
  ...showing,
})

/** What `/types/*` takes beside. */
export const servicesQuery = {
  services: z
    .string()
    .max(MAX_SERVICES_LIST)
    .transform((text) => text.split(',').map((name) => name.trim()))
    .optional()
    .describe('Comma list of `service` or `id@service`.'),
}
