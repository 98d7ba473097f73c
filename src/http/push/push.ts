import { z } from 'zod'
import { addDestination, changeDestination, findOwn } from '#flows/push/manage/destinations.ts'
import { show, showDestinations } from '#flows/push/manage/status.ts'
import { DESTINATION_KINDS } from '#model/apps/destination.ts'
import { flag } from '#model/input/input.ts'
import { route } from '../server/route.ts'
import { deleted } from '../shapes/deleted.ts'
import { createdDestination, destination } from '../shapes/push.ts'
import { path, present, reasons } from './push-destination.ts'

export const fields = z.strictObject({
  name: z.string().min(1).max(100),
  kind: z.enum(DESTINATION_KINDS),
  url: z
    .string()
    .min(1)
    .max(4000)
    .describe('A connection string or web address. Sealed at rest, and shown without its secrets.'),
  filter: z
    .array(z.string().max(2000))
    .default(['*'])
    .describe('API paths with their parameters, e.g. `/types/photos?q=cat`; `*` for all.'),
  schedule: z.string().max(200).default('on_change').describe('`on_change`, `every 15m`, `<cron> [zone]` or `manual`.'),
  options: z
    .record(z.string(), z.unknown())
    .default({})
    .describe(
      '`quiet_hours`, `events` (webhook) and the options of the kind (`schema`, `deletes`); unknown ones are refused.',
    ),
})

export const list = route({
  auth: 'app',
  summary: "List the app's destinations, with state and lag",
  response: z.array(destination),
  run: async (deps, { app }) => (await showDestinations(deps, app.id)).map(present),
})

export const add = route({
  auth: 'app',
  idempotencyKey: true,
  summary: 'Add a destination: deliver everything to it, then every change',
  body: fields,
  status: 201,
  response: createdDestination,
  reasons: ['already_exists'],
  run: async (deps, { app, actor, body }) => {
    const made = await addDestination(deps, app.id, body, actor)
    return {
      ...present(await show(deps, made.destination)),
      ...(made.signing === undefined ? {} : { secret: made.signing }),
    }
  },
})

export const one = route({
  auth: 'app',
  summary: 'Get a destination: state, lag, last error, counts',
  path,
  response: destination,
  reasons: [...reasons],
  run: async (deps, { app, path: { id } }) => present(await show(deps, await findOwn(deps, app.id, id))),
})

export const change = route({
  auth: 'app',
  summary: 'Change name, address, filter, schedule or options of a destination',
  path,
  body: z
    .strictObject({
      name: fields.shape.name,
      url: fields.shape.url,
      filter: z.array(z.string().max(2000)),
      schedule: z.string().max(200),
      options: z.record(z.string(), z.unknown()),
    })
    .partial(),
  response: destination,
  reasons: [...reasons, 'already_exists'],
  run: async (deps, { app, actor, path: { id }, body }) => {
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
    return present(await show(deps, await changeDestination(deps, await findOwn(deps, app.id, id), given, actor)))
  },
})

export const remove = route({
  auth: 'app',
  dangerous: true,
  summary: 'Delete a destination; `drop=true` also drops the tables that Tributary created',
  path,
  query: z.object({ drop: flag('Also remove what Tributary created at the destination.') }),
  response: deleted,
  reasons: [...reasons, 'destination_failed'],
  run: async (deps, { app, actor, path: { id }, query }) => {
    await deps.tasks.removeDestination(await findOwn(deps, app.id, id), query.drop, actor)
    return { deleted: id }
  },
})
