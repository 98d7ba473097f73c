import { z } from 'zod'
import {
  pauseDestination,
  redrive as redriveRows,
  replay,
  resumeDestination,
  rotateSigning,
  runNow,
} from '#flows/push/manage/control.ts'
import { findOwn } from '#flows/push/manage/destinations.ts'
import { show } from '#flows/push/manage/status.ts'
import { route } from '../server/route.ts'
import { destination, destinationTest, startedProfiles } from '../shapes/push.ts'
import { disconnection, path, present, presentTest, reasons } from './push-destination.ts'

export const pause = route({
  auth: 'app',
  summary: 'Pause a destination; changes are delivered after it is resumed',
  path,
  response: destination,
  reasons: [...reasons],
  run: async (deps, { app, actor, path: { id } }) => {
    const found = await findOwn(deps, app.id, id)
    await pauseDestination(deps, found, actor)
    return present(await show(deps, await findOwn(deps, app.id, id)))
  },
})

export const resume = route({
  auth: 'app',
  summary: 'Resume a paused, parked or disabled destination',
  path,
  response: destination,
  reasons: [...reasons],
  run: async (deps, { app, actor, path: { id } }) => {
    const found = await findOwn(deps, app.id, id)
    await resumeDestination(deps, found, actor)
    return present(await show(deps, await findOwn(deps, app.id, id)))
  },
})

export const test = route({
  auth: 'app',
  auditedAs: 'push.test',
  summary: 'Test a destination: connect, check rights, write and roll back, count what the filter matches',
  path,
  response: destinationTest,
  reasons: [...reasons, 'destination_failed'],
  run: async (deps, { app, path: { id }, reply }) => {
    const found = await findOwn(deps, app.id, id)
    return presentTest(await deps.tasks.tryDestination(found, disconnection(reply)))
  },
})

export const run = route({
  auth: 'app',
  summary: 'Deliver pending changes now, whatever the schedule',
  path,
  status: 202,
  response: startedProfiles,
  reasons: [...reasons, 'bad_request'],
  run: async (deps, { app, actor, path: { id } }) => ({
    profiles: await runNow(deps, await findOwn(deps, app.id, id), actor),
  }),
})

export const redrive = route({
  auth: 'app',
  idempotencyKey: true,
  summary: 'Try the dead letters again, all or those of one profile',
  path,
  body: z.object({ profile: z.string().max(100).optional().describe('Only this profile.') }),
  status: 202,
  response: startedProfiles,
  reasons: [...reasons],
  run: async (deps, { app, actor, path: { id }, body }) => ({
    profiles: await redriveRows(deps, await findOwn(deps, app.id, id), actor, body.profile),
  }),
})

export const backfill = route({
  auth: 'app',
  idempotencyKey: true,
  summary: 'Deliver everything again from the beginning',
  path,
  status: 202,
  response: startedProfiles,
  reasons: [...reasons],
  run: async (deps, { app, actor, path: { id } }) => ({
    profiles: await replay(deps, await findOwn(deps, app.id, id), {}, actor),
  }),
})

export const verify = route({
  auth: 'app',
  summary: 'Compare the tables with the store row by row; with `repair` also correct differences',
  path,
  body: z.object({
    repair: z.boolean().default(false).describe('Deliver differing rows again and delete extra ones.'),
    after: z.string().max(100).optional().describe('`next` of the previous response, to continue.'),
  }),
  response: z
    .object({
      profiles: z.number(),
      rows: z.number().describe('Rows compared.'),
      missing: z.number(),
      different: z.number(),
      extra: z.number().describe('Rows that should not be there.'),
      repaired: z.number().describe('Profiles that are delivered again from their first differing row.'),
      next: z.string().optional().describe('Set when time ran out: pass it as `after` to continue.'),
    })
    .meta({ id: 'Verification', description: 'How the tables of a destination differ from the store.' }),
  reasons: [...reasons, 'bad_request', 'destination_failed'],
  run: async (deps, { app, actor, path: { id }, body }) =>
    deps.tasks.verifyDestination(await findOwn(deps, app.id, id), body, actor),
})

export const replayFrom = route({
  auth: 'app',
  idempotencyKey: true,
  summary: 'Deliver again what changed since a time or a sequence number',
  path,
  body: z.object({
    since: z.number().int().min(0).max(8.64e15).optional().describe('Epoch ms.'),
    seq: z.number().int().min(0).optional().describe('Sequence number of the first change; counted per profile.'),
    profile: z.string().max(100).optional().describe('Only this profile.'),
  }),
  status: 202,
  response: startedProfiles,
  reasons: [...reasons],
  run: async (deps, { app, actor, path: { id }, body }) => ({
    profiles: await replay(deps, await findOwn(deps, app.id, id), body, actor),
  }),
})

export const rotateSecret = route({
  auth: 'app',
  dangerous: true,
  idempotencyKey: true,
  summary: 'Create a new signing secret of a webhook; the previous one also signs until the next rotation',
  path,
  response: z
    .object({ secret: z.string() })
    .meta({ id: 'SigningSecret', description: 'The new signing secret; shown only once.' }),
  reasons: [...reasons],
  run: async (deps, { app, actor, path: { id } }) => ({
    secret: await rotateSigning(deps, await findOwn(deps, app.id, id), actor),
  }),
})
