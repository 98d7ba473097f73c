import { z } from 'zod'
import { parkedEndpoints } from '#flows/sync/progress.ts'
import { route } from '../server/route.ts'

const PAGE_ROWS = 100

export const listParked = route({
  auth: 'admin',
  summary: "List endpoints of an app's profiles that are parked because they ended three worker processes",
  path: z.object({ client_id: z.string() }),
  query: z.object({ after: z.string().max(300).default('').describe('`next` of the previous response, to continue.') }),
  response: z.object({
    parked: z.array(
      z.object({
        profile: z.string(),
        service: z.string(),
        endpoint: z.string(),
        last_error: z.string().optional(),
        last_run: z.number().optional(),
      }),
    ),
    next: z.string().optional(),
  }),
  run: async (deps, { path, query }) => {
    const [profileId = '', endpoint = ''] = query.after.split('/', 2)
    const found = await parkedEndpoints(deps, path.client_id, { profileId, endpoint }, PAGE_ROWS)
    const last = found.at(-1)
    return {
      parked: found.map((each) => ({
        profile: each.profileId,
        service: each.service,
        endpoint: each.endpoint,
        ...(each.error === undefined ? {} : { last_error: each.error }),
        ...(each.at === undefined ? {} : { last_run: each.at }),
      })),
      ...(last === undefined || found.length < PAGE_ROWS ? {} : { next: `${last.profileId}/${last.endpoint}` }),
    }
  },
})
