import type { KindCounters } from '#flows/push/delivery-counters.ts'
import type { RunCounts } from '#flows/sync/run/run-counts.ts'
import type { LogCount } from '#platform/telemetry/log-counts.ts'
import type { RunSlots } from '#platform/waiting/run-slots.ts'

/** What a worker process reports to its supervisor with every heartbeat, for the metrics. Plain values. */
export interface WorkerReport {
  deliveries: KindCounters[]
  syncs: RunCounts
  slots: SlotsReport
  log: LogCount[]
}

/** How much a process syncs now. */
export interface SlotsReport {
  open: number
  fullMs: number
}

export const slotsReport = (slots: RunSlots): SlotsReport => ({ open: slots.open(), fullMs: slots.fullMs() })
