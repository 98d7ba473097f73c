import { type Clock, systemClock } from '#platform/clock.ts'
import { createEgress, type Egress, type EgressOptions } from '#platform/egress/guard.ts'
import { createLog, type Log } from '#platform/telemetry/log.ts'
import { createUpstream, type Upstream } from '#upstream/send.ts'
import { LOOPBACK_RANGES } from './loopback.ts'

/** The HTTP client of the service, without the service. */
export interface OpenUpstream {
  upstream: Upstream
  egress: Egress
  log: Log
  /** Every log line. */
  lines: string[]
  close: () => Promise<void>
}

/** Opens the HTTP client for services; it may call loopback addresses. */
export function openUpstream(clock: Clock = systemClock, options: Partial<EgressOptions> = {}): OpenUpstream {
  const egress = createEgress({ allowPrivate: LOOPBACK_RANGES, ...options })
  const lines: string[] = []
  const log = createLog({ level: 'debug', format: 'json', clock, write: (line) => lines.push(line) })
  return { upstream: createUpstream({ egress, clock, log }), egress, log, lines, close: () => egress.close() }
}
