import { z } from 'zod'
import { inspectOperation, readLog } from '#flows/apps/log.ts'
import { OPERATION_KINDS, OPERATION_OUTCOMES } from '#model/operation.ts'
import { text } from '../request/parameters.ts'
import { route } from '../server/route.ts'
import { inspectedOperation, loggedOperation } from '../shapes/log.ts'

const time = (meaning: string) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a time in epoch milliseconds')
    .transform(Number)
    .optional()
    .describe(meaning)

export const list = route({
  auth: 'admin',
  summary: 'List sign-ins, syncs, proxied calls and deliveries of an app, newest first',
  path: z.object({ client_id: z.string() }),
  query: z.object({
    kind: z.enum(OPERATION_KINDS).optional(),
    outcome: z.enum(OPERATION_OUTCOMES).optional(),
    reason: text('Only operations with this reason.', 100).optional(),
    service: text('Only operations at this service.', 100).optional(),
    account: text('Only operations of this account.', 100).optional(),
    q: text('Only operations whose summary, names, ids or reason contain this text.', 200).optional(),
    since: time('Only operations logged at this time or later, in epoch milliseconds.'),
    until: time('Only operations logged before this time, in epoch milliseconds.'),
    cursor: text('The `next` of the previous response.', 64).optional(),
    limit: z
      .string()
      .regex(/^0*([1-9]\d?|[12]\d\d)$/, 'must be a whole number from 1 to 299')
      .transform(Number)
      .default(50)
      .describe('1 to 299.'),
  }),
  response: z
    .object({
      operations: z.array(loggedOperation),
      next: z
        .string()
        .optional()
        .describe(
          'Continues with older operations. A rare match may need several requests: each examines a limited number.',
        ),
    })
    .meta({ id: 'Log', description: 'A part of the log of an app.' }),
  reasons: ['not_found'],
  run: async (deps, { path, query }) => {
    const { operations, next } = await readLog(deps, path.client_id, query)
    return { operations, ...(next === undefined ? {} : { next }) }
  },
})

export const inspect = route({
  auth: 'admin',
  summary: 'Get an operation of the log with its steps, their times and reasons',
  path: z.object({ client_id: z.string(), id: z.string() }),
  response: inspectedOperation,
  reasons: ['not_found'],
  run: (deps, { path }) => inspectOperation(deps, path.client_id, path.id),
})
