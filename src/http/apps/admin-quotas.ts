import { z } from 'zod'
import { getQuotas, setQuotas } from '#flows/operations/app-quotas.ts'
import { usageOf } from '#flows/operations/usage.ts'
import { QUOTA_NAMES, QUOTAS, type QuotaName } from '#model/apps/quotas.ts'
import { recordOf } from '#platform/formats/record-of.ts'
import { text } from '../request/parameters.ts'
import { route } from '../server/route.ts'

const path = z.object({ client_id: z.string() })

const limit = z.union([z.int().min(0), z.literal('none')]).optional()
const each = <Schema extends z.ZodType>(schema: (name: QuotaName) => Schema) => recordOf(QUOTA_NAMES, schema)

const limits = z.strictObject(each((name) => limit.describe(QUOTAS[name].meaning)))
const quotaLimits = z
  .object(
    each((name) =>
      z
        .object({
          limit: z.int().nullable().describe('`null`: no limit.'),
          own: z.boolean().describe('Whether it was set for this app.'),
        })
        .describe(QUOTAS[name].meaning),
    ),
  )
  .meta({ id: 'QuotaLimits', description: 'The quotas of an app.' })

const use = z
  .object({
    used: z.int(),
    limit: z.int().nullable().describe('`null`: no limit.'),
    state: z.enum(['ok', 'near', 'reached']).describe('`near`: from 80 %.'),
  })
  .meta({ id: 'QuotaUse', description: 'How much of a quota is used.' })
const uses = z.object(each((name) => use.optional().describe(QUOTAS[name].meaning)))
export const usage = z
  .object({
    app: z.string(),
    account: z.string().optional(),
    counted_at: z.int().describe('The totals of an app may be up to a minute old.'),
    quotas: uses,
    profiles: z
      .array(z.object({ profile: z.string(), id: z.string(), items: z.int(), bytes: z.int(), quotas: uses }))
      .optional()
      .describe("For an account: its profiles, including merged ones and the app's own items (`self`)."),
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
      .describe(
        'For an app: quotas of the app, its accounts and their profiles that are near or reached; at most 100.',
      ),
  })
  .meta({ id: 'Usage', description: 'How much of its quotas an app or account uses.' })
const subject = z.object({
  account: text('Only this account.').optional(),
  profile: text('Only this profile of the account: `id@service`, a service, or its id.').optional(),
})

export const showQuotas = route({
  auth: 'admin',
  summary: 'Get the quotas of an app',
  path,
  response: quotaLimits,
  reasons: ['not_found'],
  run: (deps, call) => getQuotas(deps, call.path.client_id),
})

export const changeQuotas = route({
  auth: 'admin',
  developers: 'none',
  summary: 'Set the quotas of an app; a missing one gets its default',
  path,
  body: limits,
  response: quotaLimits,
  reasons: ['not_found'],
  run: (deps, call) => setQuotas(deps, call.path.client_id, call.body, call.actor),
})

export const showUsage = route({
  auth: 'admin',
  summary: 'Get how much of its quotas an app, or one of its accounts, uses',
  path,
  query: subject,
  response: usage,
  reasons: ['not_found', 'no_profile'],
  run: (deps, call) => usageOf(deps, call.path.client_id, call.query),
})

export const ownUsage = route({
  auth: 'app',
  summary: 'Get how much of its quotas the app, or one of its accounts, uses',
  query: subject,
  response: usage,
  reasons: ['not_found', 'no_profile'],
  run: (deps, call) => usageOf(deps, call.app.id, call.query),
})
