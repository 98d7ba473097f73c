import { flushCompileCache } from 'node:module'
import { loadConfig } from '#config/config.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { start } from '../../src/boot/app.ts'
import type { Tuning } from '../../src/boot/tuning.ts'

// A `tributary serve` with leases and heartbeats short enough to wait for.
const tuning = JSON.parse(process.env['TEST_TUNING'] ?? '{}') as Tuning
const log = createLog({
  level: 'info',
  format: 'json',
  clock: systemClock,
  write: (line) => void process.stderr.write(line),
})
const started = await start(loadConfig(process.env), log, 'test', { serve: true, tuning })
// Now, because a killed process does not write its compile cache.
flushCompileCache()
process.stdout.write(`${JSON.stringify({ url: started.url })}\n`)
process.on('SIGTERM', () => {
  void started.stop().then(() => process.exit(0))
})
