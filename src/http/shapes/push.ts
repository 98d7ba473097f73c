import { z } from 'zod'
import { DESTINATION_KINDS, DESTINATION_STATES } from '#model/apps/destination.ts'

export const destination = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.enum(DESTINATION_KINDS),
    url: z.string().describe('Without its secrets.'),
    filter: z.array(z.string()),
    schedule: z.string(),
    options: z.record(z.string(), z.unknown()),
    state: z
      .enum(DESTINATION_STATES)
      .describe('`parked`: failed for three days, until it is resumed. `disabled`: the receiver responded 410.'),
    last_error: z.string().optional(),
    failing_since: z.number().optional(),
    next_attempt_at: z.number().optional(),
    next_run_at: z.number().optional(),
    worker_deaths: z.int().optional(),
    profiles: z.int().describe('Profiles that the filter matches.'),
    rows: z.int().describe('Rows that are delivered.'),
    profiles_behind: z.int(),
    profiles_failing: z.int(),
    changes_behind: z.int().describe('Changes that are not delivered yet.'),
    behind_since: z.number().optional(),
    lag_ms: z.number().describe('Age of the oldest change that is not delivered yet.'),
    last_5_minutes: z.object({
      rows: z.int(),
      batches: z.int(),
      failed: z.int().describe('Failed attempts.'),
    }),
    delivered_at: z.number().optional(),
    dead_letters: z.int(),
    dead_letters_dropped: z
      .int()
      .optional()
      .describe('The oldest ones that were dropped, because a destination keeps a limited number.'),
    created_at: z.number(),
  })
  .meta({ id: 'Destination', description: "Where an app's data is delivered, with its progress." })

export const createdDestination = destination
  .extend({ secret: z.string().optional().describe('The signing secret of a webhook; shown only once.') })
  .meta({ id: 'CreatedDestination', description: 'A new destination.' })

export const delivery = z
  .object({
    id: z.string(),
    profile: z.string().describe('The id of the profile.'),
    at: z.number(),
    ms: z.number(),
    attempt: z.int().describe('1 for the first attempt to write these rows.'),
    rows: z.int(),
    first_seq: z.number().optional(),
    last_seq: z.number().optional(),
    ok: z.boolean(),
    error: z.string().optional(),
  })
  .meta({ id: 'Delivery', description: 'One attempt to write a batch of rows.' })

export const deadLetter = z
  .object({
    profile: z.string().describe('The id of the profile.'),
    item: z.string().describe('The first part of the global id of the item.'),
    seq: z.number(),
    reason: z.string(),
    at: z.number(),
  })
  .meta({ id: 'DeadLetter', description: 'A row that the destination rejected.' })

export const startedProfiles = z
  .object({ profiles: z.int().describe('Profiles that are delivered.') })
  .meta({ id: 'StartedDelivery', description: 'How many profiles are delivered now.' })

export const matches = z.object({
  profiles: z.number(),
  items: z.number(),
  exact: z.boolean().describe('False if counting took too long and there are more.'),
})

export const destinationTest = z
  .object({
    ok: z.boolean(),
    checks: z.array(
      z.object({
        check: z.string(),
        ok: z.boolean(),
        detail: z.string(),
        hint: z.string().optional().describe('What to do about it.'),
      }),
    ),
    matches,
  })
  .meta({ id: 'DestinationTest', description: 'What a test of a destination found.' })
