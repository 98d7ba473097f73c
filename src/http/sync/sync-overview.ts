import { z } from 'zod'
import { OFF_REASONS, SYNC_STATES, syncOverview } from '#flows/sync/overview.ts'
import { route } from '../server/route.ts'
import { followProgress, wantsStream } from './follow-progress.ts'

const summary = z.object({
  state: z
    .enum(SYNC_STATES)
    .describe(
      '`first_sync` until every endpoint was read to its end once; then `complete`, unless something is wrong. `off`: nothing is read, and `off` says why.',
    ),
  first_completed_at: z
    .int()
    .optional()
    .describe('When everything that can be read had been read to its end for the first time.'),
  items: z.int().describe('Items so far.'),
  endpoints: z.object({ done: z.int(), of: z.int() }).describe('Endpoints that were read to their end once, and all.'),
  off: z
    .partialRecord(z.enum(OFF_REASONS), z.int())
    .optional()
    .describe('Endpoints that are off and do not count, by the reason.'),
})

export const overviewSchema = summary.extend({
  profiles: z.array(summary.extend({ profile: z.string(), service: z.string() })),
})

export const overview = route({
  auth: 'account',
  summary: 'Get whether the first sync is done, of the account and each profile; live with `Accept: text/event-stream`',
  response: overviewSchema,
  reasons: ['too_many_readers'],
  run: async (deps, call) => {
    const { account } = call
    if (!wantsStream(call.request)) return syncOverview(deps, account)
    return followProgress(deps, call, [], async () => {
      const data = await syncOverview(deps, account)
      const isOver = data.profiles.every(({ state }) => state !== 'first_sync')
      return { events: [{ name: isOver ? 'done' : 'progress', data }], isOver }
    })
  },
})
