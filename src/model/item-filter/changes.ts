import { z } from 'zod'
import { TYPE_NAMES, type TypeName } from '../items/types.ts'
import { servicesQuery, showing } from './schema.ts'

/** Which changes a reader follows; undefined: all. */
export interface ChangeFilter {
  types: TypeName[] | undefined
  services: string[] | undefined
}

/** Limit: characters of a cursor, which must fit in the address of a request; an account with too many profiles gets 400. */
export const MAX_CURSOR = 10_000
const DEFAULT_CHANGES = 100
/** Limit (reading): changes in one response; a greater `limit` is answered with 400. */
const MAX_CHANGES = 1000

function isTypeName(name: string): name is TypeName {
  return TYPE_NAMES.some((each) => each === name)
}

/** Parameters of `/changes`. */
export const changesQuery = z.object({
  cursor: z
    .string()
    .max(MAX_CURSOR)
    .optional()
    .describe('`cursor` of the last response. Without one: everything there is. `now`: only what changes from now on.'),
  limit: z
    .string()
    .regex(/^\d+$/, `must be a whole number from 1 to ${MAX_CHANGES}`)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= MAX_CHANGES, `must be a whole number from 1 to ${MAX_CHANGES}`)
    .default(DEFAULT_CHANGES)
    .describe(`Maximum number of changes, up to ${MAX_CHANGES}.`),
  types: z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim()))
    .refine((names) => names.every(isTypeName), `must be a comma-separated list of ${TYPE_NAMES.join(', ')}`)
    .transform((names) => [...new Set(names.filter(isTypeName))])
    .optional()
    .describe('Comma-separated list of types. A changed item without any of them is a `delete`.'),
  ...servicesQuery,
  ...showing,
})
