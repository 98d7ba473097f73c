import { z } from 'zod'
import { healthOf, overviewOf } from '#flows/operations/overview.ts'
import { spendingFigures } from '#flows/sync/schedule/spending-figures.ts'
import { ATTENTION_KINDS } from '#model/accounts/attention.ts'
import { SYNC_REASONS } from '#model/sync/sync-reasons.ts'
import { route } from '../server/route.ts'
import { profileState } from '../shapes/people.ts'

const attention = z
  .object({
    kind: z.enum(ATTENTION_KINDS),
    level: z.enum(['bad', 'warn']),
    app: z.string().optional(),
    subject: z.string().optional().describe("A destination's id, a service, a check, a lane or a quota."),
    reason: z.enum(SYNC_REASONS).optional().describe('Of `endpoints_failing`.'),
    n: z.int(),
    text: z.string(),
  })
  .meta({ id: 'Attention', description: 'Something that somebody should look at.' })

const health = z.object({
  ready: z.boolean(),
  checks: z.record(z.string(), z.object({ ok: z.boolean(), detail: z.string() })),
  version: z.string(),
  workers: z.array(
    z.object({
      lane: z.string(),
      state: z.enum(['running', 'starting', 'idle', 'down']).describe('`idle`: it starts when there is work for it.'),
      jobs: z.int(),
      memory_bytes: z.int(),
      deaths: z.int().describe('Unexpected ends since this process started.'),
    }),
  ),
})

const overview = z
  .object({
    at: z.int().describe('When the figures were read: seconds ago, in large installations up to a minute.'),
    app: z.string().optional(),
    attention: z.array(attention).describe('The most urgent first; at most 30.'),
    profiles: z.array(z.object({ service: z.string(), state: profileState, n: z.int() })),
    items_per_hour: z
      .array(z.object({ at: z.int(), added: z.int(), updated: z.int() }))
      .describe('The last seven days, with the current hour as the last.'),
    sync: z.object({
      due: z.int().describe('Profiles that wait for a run.'),
      lag_ms: z.int().describe('How long the first of them waits.'),
      endpoints: z
        .array(z.object({ service: z.string(), reason: z.enum(SYNC_REASONS), failing: z.boolean(), n: z.int() }))
        .describe('Endpoints that fail now: whose last run failed or was held back.'),
    }),
    failures_24h: z
      .array(
        z.object({
          kind: z.enum(['sign_in', 'sync']),
          service: z.string().optional(),
          outcome: z.enum(['failed', 'refused']),
          reason: z.string().optional(),
          n: z.int(),
        }),
      )
      .describe(
        'Sign-ins and syncs of the last 24 hours that did not work, from the log; at most 20, the most frequent first.',
      ),
    push: z
      .array(
        z.object({
          id: z.string(),
          app: z.string(),
          name: z.string(),
          kind: z.string(),
          state: z.string(),
          behind: z.int().describe('Undelivered changes.'),
          lag_ms: z.int().describe('Age of the oldest of them.'),
          dead_letters: z.int(),
          failed_24h: z.int().describe('Failed deliveries of the last 24 hours.'),
          error: z.string().optional(),
        }),
      )
      .describe('Destinations, the most conspicuous first; at most 20.'),
    quotas: z
      .array(z.object({ app: z.string(), quota: z.string(), share: z.number().describe('1: the limit is reached.') }))
      .describe('The quotas that are used most; at most 20.'),
    spending: z
      .array(
        z.object({
          app: z.string(),
          service: z.string(),
          currency: z.string(),
          spent: z.number(),
          limit: z.number().optional(),
        }),
      )
      .describe('What endpoints that cost money have cost this month.'),
    apps: z
      .array(z.object({ app: z.string(), profiles: z.int(), added_24h: z.int(), updated_24h: z.int() }))
      .describe('Those that received most in the last 24 hours; at most 20.'),
    health: health.optional().describe('Of the process that answers; not for a single app.'),
  })
  .meta({ id: 'Overview', description: 'The state of an installation, or of one of its apps, at a glance.' })

export const showOverview = route({
  auth: 'admin',
  summary: 'Get the state of the installation at a glance: profiles, items per hour, lag, failures, limits, health',
  response: overview,
  run: async (deps) => {
    const health = await healthOf(deps, deps.version, deps.workers())
    return overviewOf(deps, undefined, { spending: await spendingFigures(deps), health })
  },
})

export const showAppOverview = route({
  auth: 'admin',
  summary: 'Get the state of an app at a glance: profiles, items per hour, lag, failures, limits',
  path: z.object({ client_id: z.string() }),
  response: overview,
  reasons: ['not_found'],
  run: async (deps, { path }) => overviewOf(deps, path.client_id, { spending: await spendingFigures(deps) }),
})
