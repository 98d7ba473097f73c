import { z } from 'zod'
import { SYNC_REASONS } from '#model/sync/sync-reasons.ts'

const fault = z.object({
  field: z.string(),
  message: z.string(),
  kind: z.string(),
  record: z.string().describe("The record's id at the service."),
  at: z.number(),
  times: z.int(),
})
const quarantined = z.object({ reason: z.string(), sample: z.string(), at: z.number(), times: z.int() })

const endpointProgress = z
  .object({
    state: z.enum(['waiting', 'running', 'done', 'failing', 'parked', 'off', 'paused']),
    progress: z.number().min(0).max(1).describe('1 when the first walk has ended; before that an estimate.'),
    items: z.int().describe('Items that are stored.'),
    pages: z.int().optional().describe('While it runs: pages read so far.'),
    parents: z
      .object({ done: z.int(), of: z.int() })
      .optional()
      .describe('While an endpoint is read for each record of another one: how many are done.'),
    last_run: z.number().optional(),
    next_run: z.number().describe('8e15 or later: it is not scheduled.'),
    last_reason: z.enum(SYNC_REASONS).optional().describe('Why it was not read to its end.'),
    last_error: z.string().optional().describe('The same as a sentence.'),
    suspect_deletes: z.int().optional().describe('More missing items than is plausible; kept until confirmed.'),
    faults: z
      .object({ count: z.int(), latest: z.array(fault) })
      .optional()
      .describe('Fields that the connector could not read.'),
    quarantined: z.int().optional().describe('Records that could not be stored.'),
    quarantine: z.array(quarantined).optional().describe('The newest of them.'),
    worker_deaths: z.int().optional(),
    reconnect: z.string().optional().describe('In the state `needs_auth`: POST here for a link to sign in again.'),
  })
  .meta({ id: 'EndpointProgress', description: 'The progress of one endpoint of a profile.' })

export const syncProgress = z
  .record(z.string(), endpointProgress)
  .meta({ id: 'SyncProgress', description: 'The progress of a sync, by endpoint.' })
