import { z } from 'zod'
import { deadLettersOf, deliveriesOf, type ShownDestination, show, showDestinations } from '#flows/deliver/look.ts'
import { addDestination, changeDestination, findOwn, removeDestination } from '#flows/deliver/manage.ts'
import {
  pauseDestination,
  redrive as redriveRows,
  replay,
  resumeDestination,
  rotateSigning,
  runNow,
} from '#flows/deliver/steer.ts'
import { tryDestination } from '#flows/deliver/try-out.ts'
import { verifyDestination } from '#flows/deliver/verify.ts'
import { DESTINATION_KINDS, withoutPassword } from '#model/destination.ts'
import { flag, text } from './parameters.ts'
import { route } from './route.ts'

const path = z.object({ id: text("The destination's id.") })
const fields = z.object({
  name: z.string().min(1).max(100),
  kind: z.enum(DESTINATION_KINDS),
  url: z
    .string()
    .min(1)
    .max(4000)
    .describe('Where to deliver: a connection string, or a web address. Sealed at rest, shown without its password.'),
  filter: z
    .array(z.string().max(2000))
    .default(['*'])
    .describe('API paths with their parameters, e.g. `/types/photos?q=cat`; `*` for all.'),
  schedule: z.string().max(200).default('on_change').describe('`on_change`, `every 15m`, `<cron> [zone]` or `manual`.'),
  options: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('`quiet_hours`, `events` (webhook), and what the kind knows (`schema`, `deletes`).'),
})
const destination = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.string(),
    url: z.string(),
    filter: z.array(z.string()),
    schedule: z.string(),
    state: z.string(),
  })
  .loose()
const reasons = ['not_found'] as const

export const list = route({
  door: 'app',
  summary: "The app's destinations, with how far each is",
  answer: z.array(destination),
  run: async (house, { app }) => (await showDestinations(house, app.id)).map(present),
})

export const add = route({
  door: 'app',
  summary: 'A new destination: everything there is, then every change',
  body: fields,
  status: 201,
  answer: destination,
  run: async (house, { app, body }) => {
    const made = await addDestination(house, app.id, body, `app:${app.id}`)
    return {
      ...present(await show(house, made.destination)),
      ...(made.signing === undefined ? {} : { secret: made.signing }),
    }
  },
})

export const one = route({
  door: 'app',
  summary: 'One destination: state, lag, last error, counts',
  path,
  answer: destination,
  reasons: [...reasons],
  run: async (house, { app, path: { id } }) => present(await show(house, await findOwn(house, app.id, id))),
})

export const change = route({
  door: 'app',
  summary: 'Change name, address, filter, schedule or options',
  path,
  body: z
    .object({
      name: fields.shape.name,
      url: fields.shape.url,
      filter: z.array(z.string().max(2000)),
      schedule: z.string().max(200),
      options: z.record(z.string(), z.unknown()),
    })
    .partial(),
  answer: destination,
  reasons: [...reasons],
  run: async (house, { app, path: { id }, body }) => {
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
    return present(
      await show(house, await changeDestination(house, await findOwn(house, app.id, id), given, `app:${app.id}`)),
    )
  },
})

export const remove = route({
  door: 'app',
  summary: 'Stop delivering; `drop=true` also removes the tables we made',
  path,
  query: z.object({ drop: flag('Also remove what we made at the destination.') }),
  answer: z.object({ deleted: z.string() }),
  reasons: [...reasons, 'destination_failed'],
  run: async (house, { app, path: { id }, query }) => {
    await removeDestination(house, await findOwn(house, app.id, id), query.drop, `app:${app.id}`)
    return { deleted: id }
  },
})

export const pause = route({
  door: 'app',
  summary: 'Deliver nothing until resumed; nothing is lost meanwhile',
  path,
  answer: destination,
  reasons: [...reasons],
  run: async (house, { app, path: { id } }) => {
    const found = await findOwn(house, app.id, id)
    await pauseDestination(house, found, `app:${app.id}`)
    return present(await show(house, await findOwn(house, app.id, id)))
  },
})

export const resume = route({
  door: 'app',
  summary: 'Go on, also after it was parked or disabled',
  path,
  answer: destination,
  reasons: [...reasons],
  run: async (house, { app, path: { id } }) => {
    const found = await findOwn(house, app.id, id)
    await resumeDestination(house, found, `app:${app.id}`)
    return present(await show(house, await findOwn(house, app.id, id)))
  },
})

export const test = route({
  door: 'app',
  summary: 'Try the destination: connect, rights, one write that is rolled back, and how many items the filter matches',
  path,
  answer: z.object({
    ok: z.boolean(),
    checks: z.array(z.object({ check: z.string(), ok: z.boolean(), detail: z.string() })),
    matches: z.object({
      profiles: z.number(),
      items: z.number(),
      exact: z.boolean().describe('False when there are more than could be counted in a few seconds.'),
    }),
  }),
  reasons: [...reasons],
  run: async (house, { app, path: { id } }) => {
    const { checks, matches } = await tryDestination(house, await findOwn(house, app.id, id))
    return { ok: checks.every(({ ok }) => ok), checks, matches }
  },
})

export const run = route({
  door: 'app',
  summary: 'Deliver what is new now, whatever the schedule says',
  path,
  status: 202,
  answer: z.object({ profiles: z.number() }),
  reasons: [...reasons, 'bad_request'],
  run: async (house, { app, path: { id } }) => ({
    profiles: await runNow(house, await findOwn(house, app.id, id), `app:${app.id}`),
  }),
})

export const redrive = route({
  door: 'app',
  summary: 'Try the dead letters again',
  path,
  status: 202,
  answer: z.object({ profiles: z.number() }),
  reasons: [...reasons],
  run: async (house, { app, path: { id } }) => ({
    profiles: await redriveRows(house, await findOwn(house, app.id, id), `app:${app.id}`),
  }),
})

export const backfill = route({
  door: 'app',
  summary: 'Deliver everything again from the beginning',
  path,
  status: 202,
  answer: z.object({ profiles: z.number() }),
  reasons: [...reasons],
  run: async (house, { app, path: { id } }) => ({
    profiles: await replay(house, await findOwn(house, app.id, id), {}, `app:${app.id}`),
  }),
})

/** Requests end after a minute. */
const MOST_VERIFY_MS = 30_000

export const verify = route({
  door: 'app',
  summary: 'Compare what is in the tables with the store, row by row; with `repair` also put it right',
  path,
  body: z.object({
    repair: z.boolean().default(false).describe('Deliver again what differs, and take out what should not be there.'),
    after: z.string().max(100).optional().describe('`next` of the previous answer, to go on.'),
  }),
  answer: z.object({
    profiles: z.number(),
    rows: z.number().describe('Compared.'),
    missing: z.number(),
    different: z.number(),
    extra: z.number().describe('Rows that should not be there.'),
    repaired: z.number().describe('Profiles that are delivered again from their first wrong row.'),
    next: z.string().optional().describe('Time was up: go on after this profile.'),
  }),
  reasons: [...reasons, 'bad_request', 'destination_failed'],
  run: async (house, { app, path: { id }, body }) => {
    const untilMs = house.clock.now() + MOST_VERIFY_MS
    return verifyDestination(house, await findOwn(house, app.id, id), { ...body, untilMs }, `app:${app.id}`)
  },
})

export const replayFrom = route({
  door: 'app',
  summary: 'Deliver again what changed since a time or a number',
  path,
  body: z.object({
    since: z.number().int().min(0).max(8.64e15).optional().describe('Epoch ms.'),
    seq: z.number().int().min(0).optional().describe('Number of the first change; numbers are counted per profile.'),
    profile: z.string().max(100).optional().describe('One profile alone.'),
  }),
  status: 202,
  answer: z.object({ profiles: z.number() }),
  reasons: [...reasons],
  run: async (house, { app, path: { id }, body }) => ({
    profiles: await replay(house, await findOwn(house, app.id, id), body, `app:${app.id}`),
  }),
})

export const rotateSecret = route({
  door: 'app',
  summary: 'A new signing secret of a webhook; the previous one signs along until the next rotation',
  path,
  answer: z.object({ secret: z.string() }),
  reasons: [...reasons],
  run: async (house, { app, path: { id } }) => ({
    secret: await rotateSigning(house, await findOwn(house, app.id, id), `app:${app.id}`),
  }),
})

const paging = z.object({
  limit: z
    .string()
    .regex(/^\d{1,4}$/, 'must be a whole number up to 9999')
    .transform(Number)
    .default(50)
    .describe('How many.'),
  before: text('The id of the last one seen.').optional(),
})

export const deliveries = route({
  door: 'app',
  summary: 'What was tried, newest first',
  path,
  query: paging,
  reasons: [...reasons],
  run: async (house, { app, path: { id }, query }) =>
    (await deliveriesOf(house, await findOwn(house, app.id, id), query.before, query.limit)).map((each) => ({
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
  door: 'app',
  summary: 'Rows that the destination would not take, with the reason',
  path,
  query: paging.pick({ limit: true }),
  reasons: [...reasons],
  run: async (house, { app, path: { id }, query }) =>
    (await deadLettersOf(house, await findOwn(house, app.id, id), query.limit)).map((each) => ({
      profile: each.profileId,
      item: each.itemId,
      seq: each.seq,
      reason: each.reason,
      at: each.at,
    })),
})

function present(shown: ShownDestination): Record<string, unknown> {
  const { destination: each } = shown
  return {
    id: each.id,
    name: each.name,
    kind: each.kind,
    url: withoutPassword(shown.url),
    filter: each.filter,
    schedule: each.schedule,
    options: each.options,
    state: each.state,
    last_error: each.lastError,
    failing_since: each.failingSince,
    next_attempt_at: each.state === 'failing' ? each.nextAttemptAt : undefined,
    next_run_at: each.nextRunAt,
    profiles: shown.profiles,
    rows: shown.rows,
    profiles_behind: shown.behind,
    profiles_failing: shown.profilesFailing,
    changes_behind: shown.changesBehind,
    behind_since: shown.behindSince,
    lag_ms: shown.lagMs,
    last_5_minutes: shown.recent,
    delivered_at: shown.deliveredAt,
    dead_letters: shown.deadLetters,
    created_at: each.createdAt,
  }
}
