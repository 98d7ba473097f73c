import { PROGRAM } from '#config/program-name.ts'
import {
  pauseDestination,
  redrive as redriveRows,
  replay,
  resumeDestination,
  rotateSigning,
  runNow,
} from '#flows/push/manage/control.ts'
import { addDestination, changeDestination, findOwn, removeDestination } from '#flows/push/manage/destinations.ts'
import {
  deadLettersOf,
  deliveriesOf,
  type ShownDestination,
  show,
  showDestinations,
} from '#flows/push/manage/status.ts'
import { DESTINATION_KINDS } from '#model/apps/destination.ts'
import { withoutSecrets } from '#model/apps/destination-address.ts'
import { type Command, type Context, command, UsageError } from '../command.ts'
import { table } from '../output.ts'
import { destinationOptions, kindIn } from './push-fields.ts'

const ACTOR = 'cli'
const SETTINGS: NonNullable<Command['options']> = {
  filter: { type: 'string', value: 'PATH', multiple: true, meaning: 'an API path with its parameters, or *' },
  schedule: { type: 'string', value: 'WHEN', meaning: 'on_change, "every 15m", "<cron> [zone]" or manual' },
  option: {
    type: 'string',
    value: 'NAME=VALUE',
    multiple: true,
    meaning: 'an option of the kind, e.g. schema=tributary',
  },
}

export const add = command({
  name: 'push add',
  summary: 'Add a destination: deliver everything to it, then every change.',
  args: ['CLIENT_ID'],
  options: {
    name: { type: 'string', value: 'NAME', required: true, meaning: 'a name for it' },
    kind: { type: 'string', value: 'KIND', required: true, meaning: DESTINATION_KINDS.join(', ') },
    url: { type: 'string', value: 'URL', required: true, meaning: 'connection string or web address' },
    ...SETTINGS,
  },
  run: async ({ args, flags, out, withServices }) => {
    const kind = kindIn(flags.required('kind'))
    const filter = flags.texts('filter')
    await withServices(async (deps) => {
      const made = await addDestination(
        deps,
        args[0],
        {
          name: flags.required('name'),
          kind,
          url: flags.required('url'),
          filter: filter.length > 0 ? filter : ['*'],
          schedule: flags.text('schedule'),
          options: destinationOptions(flags.texts('option')),
        },
        ACTOR,
      )
      const view = document(await show(deps, made.destination))
      out.result({ ...view, ...(made.signing === undefined ? {} : { secret: made.signing }) }, () => [
        `id      ${out.bold(made.destination.id)}`,
        ...(made.signing === undefined ? [] : [`secret  ${out.bold(made.signing)}   (shown this once)`]),
        `Test it: ${PROGRAM} push test ${args[0]} ${made.destination.id}`,
      ])
    })
  },
})

export const list = command({
  name: 'push list',
  summary: "List an app's destinations, with state and lag.",
  args: ['CLIENT_ID'],
  run: async ({ args, out, withServices }) => {
    const destinations = (await withServices((deps) => showDestinations(deps, args[0]))).map(document)
    out.result(destinations, () =>
      table([
        ['id', 'name', 'kind', 'state', 'rows', 'behind', 'lag', 'rows in 5 min', 'dead', 'error'],
        ...destinations.map((each) => [
          each.id,
          each.name,
          each.kind,
          each.state,
          String(each.rows),
          String(each.changes_behind),
          each.lag_ms === 0 ? '-' : `${Math.ceil(each.lag_ms / 1000)} s`,
          String(each.last_5_minutes.rows),
          String(each.dead_letters),
          each.last_error ?? '',
        ]),
      ]),
    )
  },
})

export const set = command({
  name: 'push set',
  summary: 'Change a destination.',
  args: ['CLIENT_ID', 'DESTINATION'],
  options: {
    name: { type: 'string', value: 'NAME', meaning: 'a name for it' },
    url: { type: 'string', value: 'URL', meaning: 'its new address' },
    ...SETTINGS,
  },
  run: async ({ args, flags, out, withServices }) => {
    const given = {
      name: flags.text('name'),
      url: flags.text('url'),
      schedule: flags.text('schedule'),
      filter: flags.texts('filter').length > 0 ? flags.texts('filter') : undefined,
      options: flags.texts('option').length > 0 ? destinationOptions(flags.texts('option')) : undefined,
    }
    const change = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
    await withServices(async (deps) => {
      const changed = await changeDestination(deps, await findOwn(deps, args[0], args[1]), change, ACTOR)
      out.result(document(await show(deps, changed)), () => ['Changed.'])
    })
  },
})

export const pause = onOne(
  'push pause',
  'Deliver nothing until the destination is resumed.',
  async (deps, destination) => pauseDestination(deps, destination, ACTOR),
)
export const resume = onOne(
  'push resume',
  'Resume a paused, parked or disabled destination.',
  async (deps, destination) => resumeDestination(deps, destination, ACTOR),
)
export const backfill = onOne('push backfill', 'Deliver everything again.', async (deps, destination) => {
  await replay(deps, destination, {}, ACTOR)
})

export const run = onOne(
  'push run',
  'Deliver pending changes now, whatever the schedule.',
  async (deps, destination) => {
    await runNow(deps, destination, ACTOR)
  },
)
export const redrive = command({
  name: 'push redrive',
  summary: 'Try the dead letters again.',
  args: ['CLIENT_ID', 'DESTINATION'],
  options: { profile: { type: 'string', value: 'ID', meaning: 'only those of this profile' } },
  run: async ({ args, flags, out, withServices }) => {
    const profiles = await withServices(async (deps) =>
      redriveRows(deps, await findOwn(deps, args[0], args[1]), ACTOR, flags.text('profile')),
    )
    out.result({ profiles }, () => [`The dead letters of ${profiles} profiles are tried again.`])
  },
})

export const rotateSecret = command({
  name: 'push rotate-secret',
  summary: 'Create a new signing secret of a webhook; the previous one also signs until the next rotation.',
  args: ['CLIENT_ID', 'DESTINATION'],
  run: async ({ args, out, withServices }) => {
    const secret = await withServices(async (deps) => rotateSigning(deps, await findOwn(deps, args[0], args[1]), ACTOR))
    out.result({ secret }, () => [`secret  ${out.bold(secret)}   (shown this once)`])
  },
})

export const replayFrom = command({
  name: 'push replay',
  summary: 'Deliver again what changed since a time or a sequence number.',
  args: ['CLIENT_ID', 'DESTINATION'],
  options: {
    since: { type: 'string', value: 'TIME', meaning: 'a date, or epoch milliseconds' },
    seq: { type: 'string', value: 'N', meaning: 'the sequence number of the first change; counted per profile' },
    profile: { type: 'string', value: 'ID', meaning: 'only this profile' },
  },
  run: async ({ args, flags, out, withServices }) => {
    const from = {
      since: time(flags.text('since')),
      seq: number('seq', flags.text('seq')),
      profile: flags.text('profile'),
    }
    const profiles = await withServices(async (deps) =>
      replay(deps, await findOwn(deps, args[0], args[1]), from, ACTOR),
    )
    out.result({ profiles }, () => [`${profiles} profiles are being delivered again.`])
  },
})

export const dead = command({
  name: 'push dead',
  summary: 'List the dead letters: rows that the destination rejected.',
  args: ['CLIENT_ID', 'DESTINATION'],
  run: async ({ args, out, withServices }) => {
    const deadLetters = await withServices(async (deps) =>
      deadLettersOf(deps, await findOwn(deps, args[0], args[1]), 1000),
    )
    out.result(deadLetters, () =>
      deadLetters.length === 0
        ? ['None.']
        : table([
            ['item', 'seq', 'reason'],
            ...deadLetters.map((each) => [each.itemId, String(each.seq), each.reason]),
          ]),
    )
  },
})

export const deliveries = command({
  name: 'push deliveries',
  summary: 'List deliveries, newest first.',
  args: ['CLIENT_ID', 'DESTINATION'],
  options: { limit: { type: 'string', value: 'N', meaning: 'number of deliveries (50)' } },
  run: async ({ args, flags, out, withServices }) => {
    const limit = number('limit', flags.text('limit')) ?? 50
    const tried = await withServices(async (deps) =>
      deliveriesOf(deps, await findOwn(deps, args[0], args[1]), undefined, Math.min(limit, 9999)),
    )
    out.result(tried, () =>
      table([
        ['at', 'rows', 'ms', 'try', 'profile', 'result'],
        ...tried.map((each) => [
          new Date(each.at).toISOString(),
          String(each.rows),
          String(each.ms),
          String(each.attempt),
          each.profileId,
          each.ok ? 'ok' : (each.error ?? 'failed'),
        ]),
      ]),
    )
  },
})

export const remove = command({
  name: 'push delete',
  summary: 'Delete a destination and stop delivering to it.',
  args: ['CLIENT_ID', 'DESTINATION'],
  options: { 'drop-tables': { type: 'boolean', meaning: 'also drop the tables that Tributary created there' } },
  run: async ({ args, flags, out, withServices }) => {
    await withServices(async (deps) =>
      removeDestination(deps, await findOwn(deps, args[0], args[1]), flags.on('drop-tables'), ACTOR),
    )
    out.result({ deleted: args[1] }, () => [`Deleted ${args[1]}.`])
  },
})

type PushDeps = Parameters<Parameters<Context['withServices']>[0]>[0]

function onOne(
  name: string,
  summary: string,
  act: (deps: PushDeps, destination: Awaited<ReturnType<typeof findOwn>>) => Promise<void>,
): Command {
  return command({
    name,
    summary,
    args: ['CLIENT_ID', 'DESTINATION'],
    run: async ({ args, out, withServices }) => {
      const view = await withServices(async (deps) => {
        await act(deps, await findOwn(deps, args[0], args[1]))
        return document(await show(deps, await findOwn(deps, args[0], args[1])))
      })
      out.result(view, () => [`${view.name} is ${view.state}.`])
    },
  })
}

function document(shown: ShownDestination) {
  const { id, name, kind, filter, schedule, options: given, state, lastError } = shown.destination
  return {
    id,
    name,
    kind,
    url: withoutSecrets(shown.url),
    filter,
    schedule,
    options: given,
    state,
    last_error: lastError,
    rows: shown.rows,
    profiles: shown.profiles,
    changes_behind: shown.changesBehind,
    behind_since: shown.behindSince,
    lag_ms: shown.lagMs,
    last_5_minutes: shown.recent,
    profiles_failing: shown.profilesFailing,
    dead_letters: shown.deadLetters,
  }
}

function number(flag: string, text: string | undefined): number | undefined {
  if (text !== undefined && !/^\d{1,15}$/.test(text)) throw new UsageError(`--${flag} ${text} is not a valid number.`)
  return text === undefined ? undefined : Number(text)
}

function time(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = /^\d+$/.test(text) ? Number(text) : Date.parse(text)
  if (Number.isNaN(ms)) throw new UsageError(`--since ${text} is not a valid time.`)
  return ms
}
