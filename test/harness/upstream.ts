import { type Clock, systemClock } from '#platform/clock.ts'
import type { Egress } from '#platform/egress/guard.ts'
import { createEgressLevels, type EgressLevelsOptions } from '#platform/egress/levels.ts'
import { createLog, type Log } from '#platform/telemetry/log.ts'
import { createUpstream, type Upstream } from '#upstream/request/send.ts'
import { LOOPBACK_RANGES } from './loopback.ts'

/** The HTTP client of the service, without the service. */
export interface OpenUpstream {
  upstream: Upstream
  /** For destinations. */
  egress: Egress
  log: Log
  /** Every log line. */
  lines: string[]
  close: () => Promise<void>
}

/** Opens the HTTP client for services; it may call loopback addresses, also those that people name. */
export function openUpstream(clock: Clock = systemClock, options: Partial<EgressLevelsOptions> = {}): OpenUpstream {
  const { allowPrivate = LOOPBACK_RANGES, allowPrivateTyped = allowPrivate } = options
  const levels = createEgressLevels({ ...options, allowPrivate, allowPrivateTyped })
  const lines: string[] = []
  const log = createLog({ level: 'debug', format: 'json', clock, write: (line) => lines.push(line) })
  const upstream = createUpstream({ egress: levels, clock, log })
  return { upstream, egress: levels.at('app'), log, lines, close: () => levels.close() }
}
