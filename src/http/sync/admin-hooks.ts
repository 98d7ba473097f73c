import { z } from 'zod'
import { appSubscriptions } from '#flows/sync/hooks/list-subscriptions.ts'
import { route } from '../server/route.ts'

const PAGE_ROWS = 100

export const listHooks = route({
  auth: 'admin',
  summary: "List an app's subscriptions to webhooks of services, with the last failure of each",
  path: z.object({ client_id: z.string() }),
  query: z.object({ after: z.string().max(300).default('').describe('`next` of the previous response, to continue.') }),
  response: z.object({
    subscriptions: z.array(
      z.object({
        service: z.string(),
        name: z.string(),
        profile: z.string().optional().describe('Absent for a subscription of the whole app.'),
        state: z.enum(['wanted', 'active', 'ending']),
        expires_at: z.number().optional(),
        next_call: z.number().optional().describe('The next renewal or attempt.'),
        attempts: z.number().optional(),
        last_reason: z.string().optional(),
        last_error: z.string().optional(),
      }),
    ),
    next: z.string().optional(),
  }),
  run: async (deps, { path, query }) => appSubscriptions(deps, path.client_id, query.after, PAGE_ROWS),
})
