import { type Clock, systemClock } from '#platform/clock.ts'
import { createEgress, type Egress, type EgressOptions } from '#platform/egress/guard.ts'
import { createLog, type Log } from '#platform/telemetry/log.ts'
import { createUpstream, type Upstream } from '#upstream/send.ts'
import { LOOPBACK_RANGES } from './loopback.ts'

export interface OpenUpstream {
  upstream: Upstream
  egress: Egress
  log: Log
  /** Every line that was logged. */
  lines: string[]
  close: () => Promise<void>
}

/** The way out to services, which may also lead to this machine. */
export function openUpstream(clock: Clock = systemClock, options: Partial<EgressOptions> = {}): OpenUpstream {
  const egress = createEgress({ allowPrivate: LOOPBACK_RANGES, ...options })
  const lines: string[] = []
  const log = createLog({ level: 'debug', format: 'json', clock, write: (line) => lines.push(line) })
  return { upstream: createUpstream({ egress, clock, log }), egress, log, lines, close: () => egress.close() }
}
