import { describeKinds } from '#flows/push/manage/describe-kinds.ts'
import { findOwn } from '#flows/push/manage/destinations.ts'
import { draftOf } from '#flows/push/manage/drafts.ts'
import { tryDestination, tryDraft } from '#flows/push/manage/dry-run.ts'
import { previewDestination } from '#flows/push/manage/preview.ts'
import { KINDS_WITH_ROLES, privilegesScript } from '#flows/push/manage/privileges.ts'
import { DESTINATION_KINDS } from '#model/apps/destination.ts'
import { command, EXIT, UsageError } from '../command.ts'
import { table } from '../output.ts'
import { destinationOptions, kindIn } from './push-fields.ts'

const filterOption = {
  type: 'string',
  value: 'PATH',
  multiple: true,
  meaning: 'an API path with its parameters, or *',
} as const
const filterIn = (given: string[]) => (given.length > 0 ? given : ['*'])

export const test = command({
  name: 'push test',
  summary: 'Test a destination, or an address before it is added: connect, check rights, write and roll back.',
  args: ['CLIENT_ID'],
  optionalArg: 'DESTINATION',
  options: {
    kind: { type: 'string', value: 'KIND', meaning: `with --url: ${DESTINATION_KINDS.join(', ')}` },
    url: { type: 'string', value: 'URL', meaning: 'an address that is not added yet' },
    filter: filterOption,
    option: { type: 'string', value: 'NAME=VALUE', multiple: true, meaning: 'with --url: an option of the kind' },
  },
  run: async ({ args, optionalArg: id, flags, out, withServices }) => {
    if ((id === undefined) === (flags.text('url') === undefined))
      throw new UsageError('Give either DESTINATION, or --kind and --url.')
    const { checks, matches } = await withServices(async (deps) => {
      if (id !== undefined) return tryDestination(deps, await findOwn(deps, args[0], id))
      const draft = await draftOf(deps, args[0], {
        kind: kindIn(flags.required('kind')),
        url: flags.required('url'),
        filter: filterIn(flags.texts('filter')),
        options: destinationOptions(flags.texts('option')),
      })
      return 'refused' in draft ? draft.refused : tryDraft(deps, draft)
    })
    const ok = checks.every((each) => each.ok)
    out.result({ ok, checks, matches }, () => [
      ...table(checks.map((each) => [each.ok ? 'ok  ' : 'FAIL', each.check, each.detail])),
      ...checks.flatMap(({ hint }) => hint ?? []),
      `The filter matches ${matches.exact ? '' : 'at least '}${matches.items} items of ${matches.profiles} profiles.`,
    ])
    return ok ? EXIT.ok : EXIT.refused
  },
})

export const preview = command({
  name: 'push preview',
  summary: 'Show what a destination would get: tables, columns, a few rows, and how many.',
  args: ['CLIENT_ID'],
  options: {
    kind: { type: 'string', value: 'KIND', required: true, meaning: DESTINATION_KINDS.join(', ') },
    filter: filterOption,
  },
  run: async ({ args, flags, out, withServices }) => {
    const kind = kindIn(flags.required('kind'))
    const found = await withServices((deps) =>
      previewDestination(deps, args[0], { kind, filter: filterIn(flags.texts('filter')) }),
    )
    const { items, profiles, exact } = found.matches
    out.result(found, () => [
      ...found.tables.map(({ name, columns }) => `${name} (${columns.map((each) => each.name).join(', ')})`),
      ...found.examples.map((row) => JSON.stringify(row)),
      `${exact ? '' : 'At least '}${items} items of ${profiles} profiles.`,
    ])
  },
})

export const kinds = command({
  name: 'push kinds',
  summary: 'List the kinds of destinations, each with the options that it accepts.',
  run: async ({ out, withServices }) => {
    const found = await withServices(async (deps) => describeKinds(deps))
    out.result(found, () =>
      found.flatMap(({ kind, options }) => [
        out.bold(kind),
        ...table(
          options.map(({ name, choices, description }) => [`  ${name}`, choices?.join(' | ') ?? '', description]),
        ),
      ]),
    )
  },
})

export const rights = command({
  name: 'push rights',
  summary: 'Print the SQL that grants a database role the rights it needs, and no more.',
  args: ['KIND'],
  options: {
    place: { type: 'string', value: 'NAME', meaning: 'the schema (postgres) or database (mysql): tributary' },
  },
  run: async ({ args, flags, out }) => {
    const [kind, schema] = [args[0], flags.text('place') ?? 'tributary']
    if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
      throw new UsageError('--place must be lower-case letters, digits and underscores.')
    const sql = privilegesScript(kind, schema)
    if (sql === undefined) throw new UsageError(`KIND must be ${KINDS_WITH_ROLES.join(' or ')}.`)
    out.result({ kind, sql }, () => sql.split('\n'))
  },
})
