import { flushCompileCache } from 'node:module'
import { loadConfig } from '#config/config.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { start } from '../../src/boot/app.ts'
import { until } from '../harness/until.ts'
import { armCrashPoint } from './crash-points.ts'

// A `tributary work` with leases and heartbeats short enough to wait for.
const config = loadConfig(process.env)
const log = createLog({
  level: 'info',
  format: 'json',
  clock: systemClock,
  write: (line) => void process.stderr.write(line.endsWith('\n') ? line : `${line}\n`),
})
const tuning = JSON.parse(process.env['CHAOS_TUNING'] ?? '{}') as {
  times: object
}
const workers = process.env['CHAOS_WORKERS'] === 'processes' ? 'processes' : 'inline'
const [point, visits] = JSON.parse(process.env['CHAOS_CRASH'] ?? '[]') as [point?: string, visits?: number]
if (point !== undefined) armCrashPoint(point, visits ?? 1)
const started = await start(config, log, 'chaos', { serve: false, tuning, workers })
await until('the sync worker is ready', () => started.workers().every(({ lane, ready }) => lane !== 'sync' || ready))
// Now, because a killed process does not write its compile cache.
flushCompileCache()
process.send?.('ready')
process.on('SIGTERM', () => {
  void started.stop().then(() => process.exit(0))
})
