import type { LogCount } from '#base/log-counts.ts'
import type { KindTally } from '#flows/deliver/tally.ts'

/** What a worker process tells its supervisor with every heartbeat, for the metrics. Plain values. */
export interface WorkerReport {
  deliveries: KindTally[]
  log: LogCount[]
}
