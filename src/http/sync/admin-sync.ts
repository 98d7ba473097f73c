import { z } from 'zod'
import { getRules, setRules } from '#flows/sync/schedule/rules.ts'
import { route } from '../server/route.ts'

const path = z.object({ client_id: z.string() })
const rules = z
  .object({
    off: z
      .array(z.enum(['personal', 'social']))
      .optional()
      .describe('Classes of endpoints that are not synced; `core` always is.'),
    pace: z
      .record(z.string(), z.string())
      .optional()
      .describe('`{"service/endpoint": "15m" | "<cron> [zone]"}`; `service/*` for all of a service.'),
  })
  .meta({ id: 'SyncRules', description: 'Which endpoints of an app are synced, and how often.' })

export const showRules = route({
  auth: 'admin',
  summary: 'Get the sync rules of an app',
  path,
  response: rules,
  run: (deps, call) => getRules(deps, call.path.client_id),
})

export const changeRules = route({
  auth: 'admin',
  summary: 'Set the sync rules of an app: switch classes of endpoints off, or set intervals of endpoints',
  path,
  body: rules,
  response: rules,
  reasons: ['not_found'],
  run: (deps, call) => setRules(deps, call.path.client_id, call.body, call.actor),
})
