import { setTimeout as sleep } from 'node:timers/promises'
import { listApps } from '#flows/apps/apps.ts'
import { inspectOperation, type LoggedOperation, type LogQuery, readLog } from '#flows/apps/log.ts'
import { type InnerStep, OPERATION_KINDS, OPERATION_OUTCOMES, type OperationStep } from '#model/operation.ts'
import { escapeControls } from '#platform/formats/escape-controls.ts'
import { command, type Flags, type OpenStore, UsageError } from '../command.ts'
import type { Output } from '../output.ts'
import { followLog } from './follow-log.ts'

const POLL_MS = 1000
const ROWS = 50

export const showLog = command({
  name: 'log',
  summary: 'List sign-ins, syncs, proxied calls and deliveries of an app, newest last, with what went wrong.',
  options: {
    app: { type: 'string', value: 'CLIENT_ID', meaning: 'the app; may be left out if there is only one' },
    kind: { type: 'string', value: 'KIND', meaning: `one of ${OPERATION_KINDS.join(', ')}` },
    outcome: { type: 'string', value: 'OUTCOME', meaning: `one of ${OPERATION_OUTCOMES.join(', ')}` },
    failed: { type: 'boolean', meaning: 'only what failed; `--outcome refused` lists what was refused' },
    reason: { type: 'string', value: 'REASON', meaning: 'only this reason' },
    service: { type: 'string', value: 'SERVICE', meaning: 'only this service' },
    account: { type: 'string', value: 'ACCOUNT', meaning: 'only this account' },
    search: { type: 'string', value: 'TEXT', meaning: 'only what contains this text' },
    cursor: { type: 'string', value: 'CURSOR', meaning: 'continue with older operations' },
    follow: { type: 'boolean', meaning: 'print further operations until Ctrl-C' },
  },
  run: async ({ flags, out, withStore, untilSignal, program }) => {
    const query = queryOf(flags)
    const stopped = untilSignal.then(() => true)
    await withStore(async (store) => {
      const appId = await appOf(store, flags.text('app'))
      const { operations, next } = await readLog(store, appId, query)
      if (!flags.on('follow')) {
        out.result({ operations, ...(next === undefined ? {} : { next }) }, () => [
          ...(operations.length === 0 ? ['Nothing is logged.'] : operations.toReversed().map(lineOf)),
          ...(next === undefined ? [] : [`Older: ${program} log --app ${appId} --cursor ${next}`]),
        ])
        return
      }
      for (const each of operations.toReversed()) print(out, each)
      const news = followLog(store, appId, query, operations)
      while (!(await Promise.race([stopped, sleep(POLL_MS, false)]))) for (const each of await news()) print(out, each)
    })
  },
})

export const inspectLog = command({
  name: 'log show',
  summary: 'Show an operation of the log with its steps, their times and reasons.',
  args: ['CLIENT_ID', 'ID'],
  run: async ({ args, out, withStore }) => {
    await withStore(async (store) => {
      const operation = await inspectOperation(store, args[0], args[1])
      out.result(operation, () => [lineOf(operation), ...operation.steps.flatMap((step) => treeOf(step, 1))])
    })
  },
})

function print(out: Output, operation: LoggedOperation): void {
  out.raw(`${out.json ? JSON.stringify(operation) : lineOf(operation)}\n`)
}

function lineOf({ id, at, ms, kind, service, outcome, reason, summary }: LoggedOperation): string {
  const what = [kind, service].filter((part) => part !== undefined).join(' ')
  const why = reason === undefined ? '' : ` (${reason})`
  return escapeControls(`${new Date(at).toISOString()}  ${what}  ${outcome}${why}  ${summary}  ${ms} ms  ${id}`)
}

function treeOf(
  { name, ms, outcome, detail, steps = [] }: InnerStep & Partial<OperationStep>,
  depth: number,
): string[] {
  const values = Object.entries(detail).map(([key, value]) => `${key}=${String(value)}`)
  const line = `${'  '.repeat(depth)}${name}  ${outcome}  ${ms} ms  ${values.join('  ')}`.trimEnd()
  return [escapeControls(line), ...steps.flatMap((each) => treeOf(each, depth + 1))]
}

function queryOf(flags: Flags): LogQuery {
  if (flags.on('failed') && flags.text('outcome') !== undefined)
    throw new UsageError('--failed and --outcome cannot be used together.')
  return {
    kind: choice('kind', OPERATION_KINDS, flags.text('kind')),
    outcome: flags.on('failed') ? 'failed' : choice('outcome', OPERATION_OUTCOMES, flags.text('outcome')),
    reason: flags.text('reason'),
    service: flags.text('service'),
    account: flags.text('account'),
    q: flags.text('search'),
    cursor: flags.text('cursor'),
    limit: ROWS,
  }
}

function choice<T extends string>(name: string, known: readonly T[], given: string | undefined): T | undefined {
  const found = known.find((each) => each === given)
  if (given !== undefined && found === undefined) throw new UsageError(`--${name} must be one of ${known.join(', ')}.`)
  return found
}

async function appOf(store: OpenStore, given: string | undefined): Promise<string> {
  if (given !== undefined) return given
  const apps = await listApps(store)
  if (apps.length === 1) return apps[0]!.id
  throw new UsageError(apps.length === 0 ? 'There is no app yet.' : '--app must name one of the apps.')
}
