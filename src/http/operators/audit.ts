import { z } from 'zod'
import { readAudit } from '#flows/operations/audit-log.ts'
import { text, wholeNumber } from '../request/parameters.ts'
import { route } from '../server/route.ts'

/** Limit: entries of one page. */
const MAX_PAGE = 200
const DEFAULT_PAGE = 50
/** Limit: characters of a filter. */
const MAX_FILTER = 200

const filter = (meaning: string) => text(meaning).max(MAX_FILTER).optional()
const time = (meaning: string) => wholeNumber(meaning, 0, Number.MAX_SAFE_INTEGER).optional()

export const list = route({
  auth: 'admin',
  developers: 'all',
  summary: 'Read the audit log, newest first; a developer gets the entries of their apps',
  query: z.object({
    app: filter("An app's client id."),
    actor: filter('`admin`, `cli`, `operator:<id>`, `app:<id>`, `account:<id>`, `person`, …'),
    action: filter('Such as `app.create`.'),
    account: filter("An account's id."),
    since: time('From this time on, in milliseconds.'),
    until: time('Before this time, in milliseconds.'),
    cursor: filter('`next` of the page before.'),
    limit: wholeNumber('Entries per page.', 1, MAX_PAGE).default(DEFAULT_PAGE),
  }),
  response: z.object({
    entries: z.array(
      z
        .object({
          id: z.string(),
          at: z.int(),
          actor: z.string(),
          actor_name: z.string().optional().describe('The name of an operator who still exists.'),
          action: z.string(),
          app: z.string().optional(),
          account: z.string().optional(),
          detail: z.record(z.string(), z.unknown()),
        })
        .meta({ id: 'AuditEntry', description: 'What happened, when, and who did it.' }),
    ),
    next: z.string().optional().describe('The cursor of the next page.'),
  }),
  run: (deps, { operator, query }) => readAudit(deps, operator, query),
})
