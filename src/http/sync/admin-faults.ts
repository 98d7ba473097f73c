import { z } from 'zod'
import { appFaults } from '#flows/sync/commit/faults.ts'
import { appQuarantine, retryAppQuarantine } from '#flows/sync/commit/quarantine.ts'
import { route } from '../server/route.ts'

const PAGE_ROWS = 100

const path = z.object({ client_id: z.string() })
const query = z.object({
  after: z.string().max(500).default('').describe('`next` of the previous response, to continue.'),
})
const where = { profile: z.string(), service: z.string(), endpoint: z.string() }

export const listFaults = route({
  auth: 'admin',
  summary: "List fields of an app's records that connectors could not read, with the error of the reader",
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
    const found = await appFaults(deps, call.path.client_id, { profileId, endpoint, itemId, field }, PAGE_ROWS)
    const last = found.at(-1)
    return {
      faults: found.map(({ item: _item, ...fault }) => fault),
      ...(last === undefined || found.length < PAGE_ROWS
        ? {}
        : { next: `${last.profile}/${last.endpoint}/${last.item}/${last.field}` }),
    }
  },
})

export const listQuarantine = route({
  auth: 'admin',
  summary: "List an app's records that could not be stored, with the reason",
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
    const found = await appQuarantine(deps, call.path.client_id, { profileId, endpoint, id }, PAGE_ROWS)
    const last = found.at(-1)
    return {
      quarantine: found,
      ...(last === undefined || found.length < PAGE_ROWS
        ? {}
        : { next: `${last.profile}/${last.endpoint}/${last.id}` }),
    }
  },
})

export const retryQuarantine = route({
  auth: 'admin',
  summary: "Read an app's quarantined records again with the current connectors",
  path,
  status: 202,
  response: z.object({ endpoints: z.number().describe('Number of endpoints with quarantined records.') }),
  reasons: ['not_found'],
  run: async (deps, call) => ({ endpoints: await retryAppQuarantine(deps, call.path.client_id, call.actor) }),
})
