import { readAudit } from '#flows/operations/audit-log.ts'
import { ADMIN } from '#model/apps/operator.ts'
import { command, UsageError } from '../command.ts'
import { table } from '../output.ts'

const DEFAULT_LIMIT = 50
/** Limit: entries that one call shows. */
const MAX_LIMIT = 1000

export const audit = command({
  name: 'audit',
  summary: 'Show the audit log, newest first.',
  options: {
    app: { type: 'string', value: 'CLIENT_ID', meaning: 'only entries of this app' },
    account: { type: 'string', value: 'ID', meaning: 'only entries of this account' },
    actor: { type: 'string', value: 'ACTOR', meaning: 'only by: admin, cli, operator:ID, app:ID, person, …' },
    action: { type: 'string', value: 'ACTION', meaning: 'only this action, such as app.create' },
    since: { type: 'string', value: 'TIME', meaning: 'from this time on, such as 2026-01-31' },
    until: { type: 'string', value: 'TIME', meaning: 'before this time' },
    cursor: { type: 'string', value: 'ID', meaning: 'only entries before this one' },
    limit: { type: 'string', value: 'N', meaning: `how many (${DEFAULT_LIMIT})` },
  },
  run: async ({ flags, out, withStore }) => {
    const limit = Number(flags.text('limit') ?? DEFAULT_LIMIT)
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
      throw new UsageError(`--limit must be a whole number from 1 to ${MAX_LIMIT}.`)
    const request = {
      app: flags.text('app'),
      account: flags.text('account'),
      actor: flags.text('actor'),
      action: flags.text('action'),
      since: timeOf('since', flags.text('since')),
      until: timeOf('until', flags.text('until')),
      cursor: flags.text('cursor'),
      limit,
    }
    const page = await withStore((store) => readAudit(store, ADMIN, request))
    out.result(page, () => [
      ...(page.entries.length === 0
        ? ['No entries.']
        : table(
            page.entries.map(({ at, actor, action, app, account, detail }) => [
              new Date(at).toISOString(),
              actor,
              action,
              account ?? app ?? '',
              JSON.stringify(detail),
            ]),
          )),
      ...(page.next === undefined ? [] : [`There are more: --cursor ${page.next}`]),
    ])
  },
})

function timeOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = /^\d{12,}$/.test(text) ? Number(text) : Date.parse(text)
  if (Number.isNaN(ms)) throw new UsageError(`--${option} is not a time; write it like 2026-01-31T12:00:00Z.`)
  return ms
}
