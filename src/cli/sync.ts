import { setTimeout as sleep } from 'node:timers/promises'
import {
  type EndpointProgress,
  isSettled,
  profileIn,
  requestSync,
  resetSync,
  syncProgress,
} from '#flows/sync/progress.ts'
import { type Context, command } from './command.ts'
import { table } from './output.ts'

const BAR = 24

export const sync = command({
  name: 'sync',
  summary: 'ask for a sync of a profile, or follow one',
  args: ['ACCOUNT', 'PROFILE'],
  options: {
    follow: { type: 'boolean', meaning: 'show how far it is until it is over' },
    reset: { type: 'boolean', meaning: 'forget all cursors and read everything again' },
    status: { type: 'boolean', meaning: 'only show how far it is' },
    'retry-parked': { type: 'boolean', meaning: 'try endpoints that ended three workers once more' },
    'retry-quarantined': { type: 'boolean', meaning: 'read records that could not be stored once more' },
    'confirm-deletes': { type: 'boolean', meaning: 'what vanished at the service is really gone, however much it is' },
  },
  run: async ({ args, flags, out, withStore, registry, untilSignal }) => {
    const [accountId, name] = args
    await withStore(async (store) => {
      const profile = await profileIn({ database: store.database, registry: await registry() }, accountId, name)
      if (flags.on('reset')) await resetSync(store, profile)
      else if (!flags.on('status'))
        await requestSync(store, profile, {
          confirmDeletes: flags.on('confirm-deletes'),
          retryParked: flags.on('retry-parked'),
          retryQuarantined: flags.on('retry-quarantined'),
        })
      let progress = await syncProgress(store, profile)
      const stopped = untilSignal.then(() => true)
      while (flags.on('follow') && !isIdle(progress, store.clock.now())) {
        out.progress(bar(progress))
        if (await Promise.race([stopped, sleep(300, false)])) break
        progress = await syncProgress(store, profile)
      }
      out.result(progress, () => describe(progress, out))
    })
  },
})

// Work is done by a server or worker elsewhere: over when nothing is due and nothing runs.
function isIdle(progress: Record<string, EndpointProgress>, nowMs: number): boolean {
  return (
    isSettled(progress) &&
    Object.values(progress).every(
      ({ state, next_run }) => ['failing', 'parked', 'off', 'paused'].includes(state) || next_run > nowMs,
    )
  )
}

function bar(progress: Record<string, EndpointProgress>): string {
  const all = Object.values(progress)
  const share = all.reduce((sum, each) => sum + each.progress, 0) / Math.max(1, all.length)
  const items = all.reduce((sum, each) => sum + each.items, 0)
  const filled = Math.round(share * BAR)
  return `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} ${Math.round(share * 100)} %  ${items} items  ${all.filter(({ state }) => state === 'done').length}/${all.length} endpoints`
}

function describe(progress: Record<string, EndpointProgress>, out: Context['out']): string[] {
  const rows = Object.entries(progress).map(([name, { state, items, next_run, last_reason, last_error }]) => [
    name,
    state,
    String(items),
    ['off', 'parked', 'paused'].includes(state) ? '' : new Date(next_run).toISOString(),
    last_reason === undefined ? '' : `${last_reason}: ${last_error ?? ''}`,
  ])
  return table([['endpoint', 'state', 'items', 'next run', 'error'], ...rows]).map((line, i) =>
    i === 0 ? out.dim(line) : line,
  )
}
