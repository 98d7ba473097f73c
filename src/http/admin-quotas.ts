import { z } from 'zod'
import { getQuotas, setQuotas } from '#flows/operations/app-quotas.ts'
import { usageOf } from '#flows/operations/usage.ts'
import { QUOTA_NAMES, QUOTAS, type QuotaName } from '#model/quotas.ts'
import { recordOf } from '#platform/record-of.ts'
import { text } from './parameters.ts'
import { route } from './route.ts'

const path = z.object({ client_id: z.string() })

const limit = z.union([z.int().min(0), z.literal('none')]).optional()
const each = <Schema extends z.ZodType>(schema: (name: QuotaName) => Schema) => recordOf(QUOTA_NAMES, schema)

const limits = z.strictObject(each((name) => limit.describe(QUOTAS[name].meaning)))
const shown = z.object(
  each((name) =>
    z
      .object({
        limit: z.int().nullable().describe('`null`: none.'),
        own: z.boolean().describe('It was set for this app.'),
      })
      .describe(QUOTAS[name].meaning),
  ),
)

const use = z.object({
  used: z.int(),
  limit: z.int().nullable().describe('`null`: none.'),
  state: z.enum(['ok', 'near', 'reached']).describe('`near` from four fifths on.'),
})
const uses = z.object(each((name) => use.optional().describe(QUOTAS[name].meaning)))
const usage = z.object({
  app: z.string(),
  account: z.string().optional(),
  counted_at: z.int().describe('The sums of an app may be up to a minute old.'),
  quotas: uses,
  profiles: z
    .array(z.object({ profile: z.string(), id: z.string(), items: z.int(), bytes: z.int(), quotas: uses }))
    .optional()
    .describe(
      "Of an account: its profiles, also those that a merge brought together and the app's own items (`self`).",
    ),
  notices: z
    .array(
      z.object({
        quota: z.string(),
        state: z.enum(['near', 'reached']),
        account: z.string().optional(),
        profile: z.string().optional(),
        since: z.int(),
      }),
    )
    .optional()
    .describe('Of the app: quotas that are near or reached, of itself, its accounts and their profiles; at most 100.'),
})
const of = z.object({
  account: text('Only this account.').optional(),
  profile: text('Only this profile of the account: `id@service`, a service, or its id.').optional(),
})

export const showQuotas = route({
  auth: 'admin',
  summary: 'The quotas of an app, set or by default',
  path,
  response: shown,
  reasons: ['not_found'],
  run: (deps, call) => getQuotas(deps, call.path.client_id),
})

export const changeQuotas = route({
  auth: 'admin',
  summary: 'Set the quotas of an app; those that are not named have their default again',
  path,
  body: limits,
  response: shown,
  reasons: ['not_found'],
  run: (deps, call) => setQuotas(deps, call.path.client_id, call.body, 'admin'),
})

export const showUsage = route({
  auth: 'admin',
  summary: 'How much of its quotas an app uses, or one of its accounts',
  path,
  query: of,
  response: usage,
  reasons: ['not_found', 'no_profile'],
  run: (deps, call) => usageOf(deps, call.path.client_id, call.query),
})

export const ownUsage = route({
  auth: 'app',
  summary: 'How much of its quotas the app uses, or one of its accounts',
  query: of,
  response: usage,
  reasons: ['not_found', 'no_profile'],
  run: (deps, call) => usageOf(deps, call.app.id, call.query),
})
