import { setTimeout as sleep } from 'node:timers/promises'
import {
  type EndpointProgress,
  isScheduled,
  isSettled,
  profileIn,
  requestSync,
  resetSync,
  syncProgress,
} from '#flows/sync/progress.ts'
import { type Context, command } from '../command.ts'
import { table } from '../output.ts'

const BAR_CHARS = 24

export const sync = command({
  name: 'sync',
  summary: 'Request a sync of a profile, show its state, or follow it.',
  args: ['ACCOUNT', 'PROFILE'],
  options: {
    follow: { type: 'boolean', meaning: 'show the progress until the sync ends' },
    reset: { type: 'boolean', meaning: 'forget all watermarks and read everything again' },
    status: { type: 'boolean', meaning: 'show the state without requesting a sync' },
    'retry-parked': { type: 'boolean', meaning: 'try parked endpoints again' },
    'retry-quarantined': { type: 'boolean', meaning: 'read quarantined records again' },
    'confirm-deletes': { type: 'boolean', meaning: 'accept all items that are missing at the service as deleted' },
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

// Another process runs the sync: it is over when nothing runs and nothing is due.
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
  const filled = Math.round(share * BAR_CHARS)
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_CHARS - filled)} ${Math.round(share * 100)} %  ${items} items  ${all.filter(({ state }) => state === 'done').length}/${all.length} endpoints`
}

function describe(progress: Record<string, EndpointProgress>, out: Context['out']): string[] {
  const rows = Object.entries(progress).map(([name, { state, items, next_run, last_reason, last_error }]) => [
    name,
    state,
    String(items),
    ['off', 'parked', 'paused'].includes(state) || !isScheduled(next_run) ? '' : new Date(next_run).toISOString(),
    last_reason === undefined ? '' : `${last_reason}: ${last_error ?? ''}`,
  ])
  return table([['endpoint', 'state', 'items', 'next run', 'error'], ...rows]).map((line, i) =>
    i === 0 ? out.dim(line) : line,
  )
}
