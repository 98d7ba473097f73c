import { z } from 'zod'
import { findOwn } from '#flows/push/manage/destinations.ts'
import { deadLettersOf, deliveriesOf } from '#flows/push/manage/status.ts'
import { text } from './parameters.ts'
import { path, reasons } from './push-destination.ts'
import { route } from './route.ts'
import { deadLetter, delivery } from './shapes/push.ts'

const paging = z.object({
  limit: z
    .string()
    .regex(/^\d{1,4}$/, 'must be a whole number up to 9999')
    .transform(Number)
    .default(50)
    .describe('Maximum number of entries.'),
  before: text('The id of the last entry seen; older ones follow.').optional(),
})

export const deliveries = route({
  auth: 'app',
  summary: 'List deliveries to a destination, newest first',
  path,
  query: paging,
  reasons: [...reasons],
  response: z.array(delivery),
  run: async (deps, { app, path: { id }, query }) =>
    (await deliveriesOf(deps, await findOwn(deps, app.id, id), query.before, query.limit)).map((each) => ({
      id: each.id,
      profile: each.profileId,
      at: each.at,
      ms: each.ms,
      attempt: each.attempt,
      rows: each.rows,
      first_seq: each.firstSeq,
      last_seq: each.lastSeq,
      ok: each.ok,
      error: each.error,
    })),
})

export const deadLetters = route({
  auth: 'app',
  summary: 'List dead letters: rows that the destination rejected, with the reason',
  path,
  query: paging.pick({ limit: true }),
  reasons: [...reasons],
  response: z.array(deadLetter),
  run: async (deps, { app, path: { id }, query }) =>
    (await deadLettersOf(deps, await findOwn(deps, app.id, id), query.limit)).map((each) => ({
      profile: each.profileId,
      item: each.itemId,
      seq: each.seq,
      reason: each.reason,
      at: each.at,
    })),
})
