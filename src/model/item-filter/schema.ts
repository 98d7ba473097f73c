import { z } from 'zod'
import { flag } from '../input/input.ts'
import { keysOfPage, MAX_LINK } from '../items/page-address.ts'
import { DEFAULT_LIMIT } from '../items/query.ts'
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

/** Limit: items that one request may ask for, because larger numbers are not exact; more counts as this many. */
const MAX_LIMIT = 1e15

const limit = z
  .string()
  .regex(/^\d+$/, 'must be a whole number, 0 or more')
  .transform((text) => Math.min(Number(text), MAX_LIMIT))
  .default(DEFAULT_LIMIT)
  .describe('Maximum number of items. Large responses are streamed.')

const before = z
  .string()
  .regex(/^-?\d{1,16}_[0-9a-f]{32}(_[0-9a-f]{9})?$/, 'must be <at>_<id> of an item')
  .transform((text) => {
    const [at = '', id = ''] = text.split('_')
    return { at: Number(at), id }
  })
  .optional()
  .describe('Only items after this one: `<at>_<id>` of the last item read.')

/** Limit (reading): characters of a search; more is answered with 400. */
const MAX_SEARCH = 1000
/** Limit: characters of the list of services in one query; more is answered with 400. */
const MAX_SERVICES_LIST = 2000

/** Parameters that select the fields of an item. */
export const showing = {
  map: flag('Add `map` with normalised data.'),
  fields: fieldPaths('Comma-separated paths. Returns a flat object keyed by path; a missing field is null.'),
  select: fieldPaths('Comma-separated paths. Keeps the structure of the item; missing fields are left out.'),
}

/** Parameters that select items by their own time. */
export const timeRange = {
  since: time('Oldest time, inclusive. Default 0.'),
  until: time('Newest time, inclusive. Default now.'),
}

/** Parameters of `/services/*` and `/types/*`. */
export const itemQuery = z.object({
  limit,
  ...timeRange,
  updated_since: time('Only items whose content changed at this time or later (their `updated`), inclusive.'),
  before,
  sort: z.enum(['asc', 'desc']).default('desc').describe('`desc` newest first, `asc` oldest first.'),
  q: z
    .string()
    .min(1, 'must not be empty')
    .max(MAX_SEARCH)
    .refine((text) => !text.includes('\0'), 'must not contain NUL')
    .optional()
    .describe('Full-text search: words and symbols, `"phrases"`, `-excluded`, `prefix*`.'),
  participants,
  near,
  within,
  dedup: flag('Leave out copies: of one thing, only the earliest item that matches the query.'),
  copy_of: flag(
    'Add `copy_of` to copies: the id of the earliest item that they are copies of and that matches the query.',
  ),
  link: z
    .string()
    .max(MAX_LINK)
    .refine((address) => keysOfPage(address).length > 0, 'must be the address of a web page, not of a whole site')
    .transform(keysOfPage)
    .optional()
    .describe('Only items that link to this page, or are it.'),
  count: flag('Add `X-Total-Count`: how many items match, on all pages.'),
  ...showing,
})

/** An additional parameter of `/types/*`. */
export const servicesQuery = {
  services: z
    .string()
    .max(MAX_SERVICES_LIST)
    .transform((text) => text.split(',').map((name) => name.trim()))
    .optional()
    .describe('Comma-separated list of `service` or `id@service`.'),
}
