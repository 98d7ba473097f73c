import { z } from 'zod'
import { appFaults } from '#flows/sync/commit/faults.ts'
import { appQuarantine, retryAppQuarantine } from '#flows/sync/commit/quarantine.ts'
import { route } from './route.ts'

const AT_ONCE = 100

const path = z.object({ client_id: z.string() })
const query = z.object({ after: z.string().max(500).default('').describe('`next` of the previous answer, to go on.') })
const where = { profile: z.string(), service: z.string(), endpoint: z.string() }

/** Fields that connectors could not read: for operators. */
export const listFaults = route({
  auth: 'admin',
  summary: "Fields of records of an app's profiles that a connector could not read, with what its reader threw",
  path,
  query,
  response: z.object({
    faults: z.array(
      z.object({
        ...where,
        field: z.string(),
        message: z.string(),
        kind: z.string(),
        record: z.string().describe("The record's id at the service."),
        at: z.number(),
        times: z.number(),
      }),
    ),
    next: z.string().optional(),
  }),
  run: async (deps, call) => {
    const [profileId = '', endpoint = '', itemId = '', field = ''] = call.query.after.split('/', 4)
    const found = await appFaults(deps, call.path.client_id, { profileId, endpoint, itemId, field }, AT_ONCE)
    const last = found.at(-1)
    return {
      faults: found.map(({ item: _item, ...fault }) => fault),
      ...(last === undefined || found.length < AT_ONCE
        ? {}
        : { next: `${last.profile}/${last.endpoint}/${last.item}/${last.field}` }),
    }
  },
})

/** Records that could not be stored: for operators. */
export const listQuarantine = route({
  auth: 'admin',
  summary: "Records of an app's profiles that could not be stored, with the reason",
  path,
  query,
  response: z.object({
    quarantine: z.array(
      z.object({
        ...where,
        id: z.string(),
        reason: z.string(),
        sample: z.string(),
        at: z.number(),
        times: z.number(),
      }),
    ),
    next: z.string().optional(),
  }),
  run: async (deps, call) => {
    const [profileId = '', endpoint = '', id = ''] = call.query.after.split('/', 3)
    const found = await appQuarantine(deps, call.path.client_id, { profileId, endpoint, id }, AT_ONCE)
    const last = found.at(-1)
    return {
      quarantine: found,
      ...(last === undefined || found.length < AT_ONCE ? {} : { next: `${last.profile}/${last.endpoint}/${last.id}` }),
    }
  },
})

export const retryQuarantine = route({
  auth: 'admin',
  summary: "Read the quarantined records of an app's profiles once more, with the connectors of today",
  path,
  status: 202,
  response: z.object({ endpoints: z.number().describe('How many endpoints of profiles have such records.') }),
  reasons: ['not_found'],
  run: async (deps, call) => ({ endpoints: await retryAppQuarantine(deps, call.path.client_id, 'admin') }),
})
