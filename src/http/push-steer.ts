import { z } from 'zod'
import { show } from '#flows/deliver/look.ts'
import { findOwn } from '#flows/deliver/manage.ts'
import {
  pauseDestination,
  redrive as redriveRows,
  replay,
  resumeDestination,
  rotateSigning,
  runNow,
} from '#flows/deliver/steer.ts'
import { destination, path, present, reasons } from './push-destination.ts'
import { route } from './route.ts'

export const pause = route({
  auth: 'app',
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
  auth: 'app',
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
  auth: 'app',
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
  run: async (house, { app, path: { id }, reply }) => {
    const left = new AbortController()
    reply.raw.once('close', () => left.abort())
    const { checks, matches } = await house.tasks.tryDestination(await findOwn(house, app.id, id), left.signal)
    return { ok: checks.every(({ ok }) => ok), checks, matches }
  },
})

export const run = route({
  auth: 'app',
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
  auth: 'app',
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
  auth: 'app',
  summary: 'Deliver everything again from the beginning',
  path,
  status: 202,
  answer: z.object({ profiles: z.number() }),
  reasons: [...reasons],
  run: async (house, { app, path: { id } }) => ({
    profiles: await replay(house, await findOwn(house, app.id, id), {}, `app:${app.id}`),
  }),
})

export const verify = route({
  auth: 'app',
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
    next: z.string().optional().describe('Time was up: give it as `after` to go on from here.'),
  }),
  reasons: [...reasons, 'bad_request', 'destination_failed'],
  run: async (house, { app, path: { id }, body }) =>
    house.tasks.verifyDestination(await findOwn(house, app.id, id), body, `app:${app.id}`),
})

export const replayFrom = route({
  auth: 'app',
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
  auth: 'app',
  summary: 'A new signing secret of a webhook; the previous one signs along until the next rotation',
  path,
  answer: z.object({ secret: z.string() }),
  reasons: [...reasons],
  run: async (house, { app, path: { id } }) => ({
    secret: await rotateSigning(house, await findOwn(house, app.id, id), `app:${app.id}`),
  }),
})
