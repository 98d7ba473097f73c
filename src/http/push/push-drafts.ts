import { z } from 'zod'
import { describeKinds, OPTION_TYPES } from '#flows/push/manage/describe-kinds.ts'
import { draftOf } from '#flows/push/manage/drafts.ts'
import { previewDestination } from '#flows/push/manage/preview.ts'
import { KINDS_WITH_ROLES, privilegesScript } from '#flows/push/manage/privileges.ts'
import { invalidInput } from '#model/errors.ts'
import { route } from '../server/route.ts'
import { destinationTest, matches } from '../shapes/push.ts'
import { fields } from './push.ts'
import { disconnection, presentTest } from './push-destination.ts'

// What an app can find out before it adds a destination. Nothing is stored.

export const test = route({
  auth: 'app',
  auditedAs: 'push.test',
  summary: 'Test a destination before it is added: connect, check rights, write and roll back',
  body: fields.pick({ kind: true, url: true, filter: true, options: true }),
  response: destinationTest,
  reasons: ['destination_failed'],
  run: async (deps, { app, body, reply }) => {
    const draft = await draftOf(deps, app.id, body)
    return presentTest('refused' in draft ? draft.refused : await deps.tasks.tryDraft(draft, disconnection(reply)))
  },
})

export const preview = route({
  auth: 'app',
  // Its examples are items of people.
  auditedAs: 'push.preview',
  summary: 'Preview what a destination would get: tables, columns, a few rows, and how many',
  body: fields.pick({ kind: true, filter: true }),
  response: z
    .object({
      tables: z
        .array(z.object({ name: z.string(), columns: z.array(z.object({ name: z.string(), type: z.string() })) }))
        .describe('Tables that Tributary creates; empty for kinds without tables.'),
      views: z.array(z.string()).describe('One view for each type of items.'),
      examples: z
        .array(z.record(z.string(), z.unknown()))
        .describe('Rows of `tributary_items`, or messages where there are no tables.'),
      matches,
    })
    .meta({ id: 'DestinationPreview', description: 'What a destination would get.' }),
  run: (deps, { app, body }) => previewDestination(deps, app.id, body),
})

export const kinds = route({
  auth: 'app',
  summary: 'List the kinds of destinations, each with the options that it accepts',
  response: z.array(
    z
      .object({
        kind: fields.shape.kind,
        signed: z.boolean().describe('Whether it has a signing secret.'),
        options: z.array(
          z.object({
            name: z.string(),
            type: z.enum(OPTION_TYPES).describe('`lines`: a text of several lines. `json`: any other value, as JSON.'),
            description: z.string(),
            choices: z.array(z.string()).optional(),
            default: z.unknown().optional(),
            example: z.unknown().optional(),
          }),
        ),
      })
      .meta({ id: 'DestinationKind', description: 'A kind of destination, with its options.' }),
  ),
  run: async (deps) => describeKinds(deps),
})

export const rights = route({
  auth: 'app',
  summary: 'Get the SQL that creates a database role with the rights that deliveries require',
  query: z.object({
    kind: z.enum(KINDS_WITH_ROLES).describe('A kind of database with roles.'),
    place: z
      .string()
      .regex(/^[a-z_][a-z0-9_]{0,62}$/, 'must be lower-case letters, digits and underscores')
      .default('tributary')
      .describe('The schema (postgres) or database (mysql).'),
  }),
  response: z
    .object({ kind: z.string(), sql: z.string() })
    .meta({ id: 'RightsScript', description: 'Statements for an administrator of the database to run once.' }),
  run: async (_deps, { query: { kind, place } }) => {
    const sql = privilegesScript(kind, place)
    if (sql === undefined) throw invalidInput('bad_parameter', 'kind', `must be ${KINDS_WITH_ROLES.join(' or ')}.`)
    return { kind, sql }
  },
})
