import type { KindCounters } from '#flows/push/delivery-counters.ts'
import type { RunCounts } from '#flows/sync/run/run-counts.ts'
import type { LogCount } from '#platform/telemetry/log-counts.ts'

/** What a worker process reports to its supervisor with every heartbeat, for the metrics. Plain values. */
export interface WorkerReport {
  deliveries: KindCounters[]
  syncs: RunCounts
  log: LogCount[]
}
