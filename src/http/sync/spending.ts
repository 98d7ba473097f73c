import { z } from 'zod'
import { getSpending, setSpending } from '#flows/sync/schedule/spending-rules.ts'
import { route } from '../server/route.ts'

const path = z.object({ client_id: z.string() })

const changes = z.strictObject({
  endpoints: z
    .record(z.string(), z.boolean())
    .optional()
    .describe('`{"service/endpoint": true}` switches a priced endpoint on; `service/*` all of a service.'),
  limits: z
    .record(z.string(), z.string().nullable())
    .optional()
    .describe(
      '`{"service": "25.00"}`: what may be spent in a month (UTC), in the currency of the service; `null`: no limit.',
    ),
})

const spending = z
  .record(
    z.string(),
    z.object({
      currency: z.string(),
      month: z.string(),
      spent: z
        .string()
        .describe('Before a call its highest possible cost is counted, so this may be more than the bill, not less.'),
      limit: z.string().nullable().describe('`null`: no limit.'),
      resets_at: z.number(),
      state: z
        .enum(['ok', 'reached', 'unpaid'])
        .describe(
          '`reached`: the limit stops the endpoints until `resets_at`; `unpaid`: the service refuses for want of credit.',
        ),
      retry_at: z.number().optional().describe('When a service that wants to be paid first is called again.'),
      endpoints: z.record(
        z.string(),
        z.object({
          on: z.boolean(),
          price: z.object({ currency: z.string(), per_record: z.string().optional(), per_call: z.string().optional() }),
        }),
      ),
    }),
  )
  .meta({ id: 'Spending', description: 'What endpoints that cost money have cost this month, by service.' })

export const ownSpending = route({
  auth: 'app',
  summary: 'Get what the endpoints that cost money have cost the app this month, by service',
  response: spending,
  run: (deps, { app }) => getSpending(deps, app.id),
})

export const changeOwnSpending = route({
  auth: 'app',
  summary: 'Switch endpoints that cost money on or off, and limit what the app spends in a month',
  body: changes,
  response: spending,
  run: (deps, { app, actor, body }) => setSpending(deps, app.id, body, actor),
})

export const showSpending = route({
  auth: 'admin',
  summary: 'Get what the endpoints that cost money have cost an app this month, by service',
  path,
  response: spending,
  reasons: ['not_found'],
  run: (deps, call) => getSpending(deps, call.path.client_id),
})

export const changeSpending = route({
  auth: 'admin',
  summary: 'Switch endpoints that cost money on or off for an app, and limit what it spends in a month',
  path,
  body: changes,
  response: spending,
  reasons: ['not_found'],
  run: (deps, call) => setSpending(deps, call.path.client_id, call.body, call.actor),
})
