import { z } from 'zod'
import { findOwn } from '#flows/push/manage/destinations.ts'
import { deadLetterReasonsOf, deadLettersOf, deliveriesOf, historyOf, MAX_PERIODS } from '#flows/push/manage/status.ts'
import { invalidInput } from '#model/errors.ts'
import { text } from '../request/parameters.ts'
import { route } from '../server/route.ts'
import { deadLetter, delivery } from '../shapes/push.ts'
import { path, reasons } from './push-destination.ts'

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

export const deadLetterReasons = route({
  auth: 'app',
  summary: 'Count the dead letters of a destination by their reason',
  path,
  reasons: [...reasons],
  response: z.array(
    z
      .object({
        reason: z.string(),
        dead_letters: z.number(),
        profiles: z.number(),
        first_at: z.number(),
        last_at: z.number(),
      })
      .meta({ id: 'DeadLetterReason', description: 'How many rows a destination rejected for one reason.' }),
  ),
  run: async (deps, { app, path: { id } }) =>
    (await deadLetterReasonsOf(deps, await findOwn(deps, app.id, id))).map(({ n, ...each }) => ({
      ...each,
      dead_letters: n,
    })),
})

const wholeMs = (meaning: string) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .describe(meaning)

export const history = route({
  auth: 'app',
  summary: 'Get the throughput and the lag of a destination over time',
  path,
  query: z.object({
    since: wholeMs('Epoch ms. Default: a day ago.').optional(),
    step: wholeMs(`Length of a period in ms, at least 60000; at most ${MAX_PERIODS} periods.`).optional(),
  }),
  reasons: [...reasons, 'bad_parameter'],
  response: z.array(
    z
      .object({
        at: z.number().describe('Beginning of the period.'),
        rows: z.number().describe('Rows delivered.'),
        batches: z.number(),
        failed: z.number().describe('Attempts that failed.'),
        lag_ms: z
          .number()
          .optional()
          .describe('Age of the oldest change when it was delivered, the greatest of the period.'),
      })
      .meta({ id: 'DeliveryPeriod', description: 'The deliveries of one period. Periods without any are missing.' }),
  ),
  run: async (deps, { app, path: { id }, query }) => {
    const now = deps.clock.now()
    const since = query.since ?? now - 86_400_000
    const step = query.step ?? Math.max(60_000, Math.ceil((now - since) / 96))
    if (step < 60_000 || (now - since) / step > MAX_PERIODS)
      throw invalidInput(
        'bad_parameter',
        'step',
        `must be at least 60000, with at most ${MAX_PERIODS} periods since then.`,
      )
    const periods = await historyOf(deps, await findOwn(deps, app.id, id), since, step)
    return periods.map(({ lag_ms: lag, ...each }) => ({ ...each, ...(lag === null ? {} : { lag_ms: lag }) }))
  },
})
