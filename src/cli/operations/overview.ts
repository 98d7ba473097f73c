import { type OverviewView, overviewOf } from '#flows/operations/overview.ts'
import { spendingFigures } from '#flows/sync/schedule/spending-figures.ts'
import { command } from '../command.ts'
import { table } from '../output.ts'

const HOURS_OF_DAY = 24

export const overview = command({
  name: 'overview',
  summary: 'Show what requires attention, profiles by state, items per hour, lag and failures.',
  options: { app: { type: 'string', value: 'CLIENT_ID', meaning: 'only this app' } },
  run: async ({ flags, out, withServices }) => {
    const view = await withServices(async (deps) =>
      overviewOf(deps, flags.text('app'), { spending: await spendingFigures(deps) }),
    )
    out.result(view, () => linesOf(view))
  },
})

function linesOf({
  attention,
  profiles,
  items_per_hour: hours,
  sync,
  failures_24h: failures,
  push,
}: OverviewView): string[] {
  const day = hours.slice(-HOURS_OF_DAY)
  const sum = (count: (hour: OverviewView['items_per_hour'][number]) => number) =>
    day.reduce((total, hour) => total + count(hour), 0)
  const seconds = (ms: number) => `${Math.round(ms / 1000)} s`
  return [
    ...(attention.length === 0
      ? ['Nothing requires attention.']
      : attention.map(({ level, text }) => `${level}  ${text}`)),
    '',
    `Items in the last 24 hours: ${sum(({ added }) => added)} added, ${sum(({ updated }) => updated)} updated.`,
    `Syncs: ${sync.due} profiles wait, the first for ${seconds(sync.lag_ms)}.`,
    '',
    ...table([
      ['service', 'state', 'profiles'],
      ...profiles.map(({ service, state, n }) => [service, state, String(n)]),
    ]),
    ...section('Endpoints that fail now, or are held back:', [
      ['service', 'reason', 'endpoints'],
      ...sync.endpoints.map(({ service, reason, n }) => [service, reason, String(n)]),
    ]),
    ...section('Failures of the last 24 hours:', [
      ['what', 'service', 'outcome', 'reason', 'times'],
      ...failures.map(({ kind, service, outcome, reason, n }) => [
        kind.replace('_', '-'),
        service ?? '',
        outcome,
        reason ?? '',
        String(n),
      ]),
    ]),
    ...(push.length === 0
      ? []
      : [
          '',
          ...table([
            ['destination', 'state', 'behind', 'lag', 'dead letters', 'failed in 24 h'],
            ...push.map((each) => [
              each.name,
              each.state,
              String(each.behind),
              seconds(each.lag_ms),
              String(each.dead_letters),
              String(each.failed_24h),
            ]),
          ]),
        ]),
  ]
}

/** A titled table; nothing when it has only its head. */
function section(title: string, rows: string[][]): string[] {
  return rows.length > 1 ? ['', title, ...table(rows)] : []
}
