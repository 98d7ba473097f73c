import { Counter, Gauge, type Registry } from 'prom-client'
import { RUN_ENDS, type RunCounts } from '#flows/sync/run/run-counts.ts'
import type { SlotsReport } from './worker-report.ts'

/** Returns a function that updates the metrics of syncs. */
export function syncMetrics(registry: Registry): (runs: RunCounts, slots: readonly SlotsReport[]) => void {
  const registers = [registry]
  const runsEnded = new Counter({
    name: 'tributary_sync_runs_total',
    help: 'Runs of profiles that ended, by this process and its workers since it started.',
    labelNames: ['end'],
    registers,
  })
  const running = new Gauge({
    name: 'tributary_syncs_running',
    help: 'Profiles that this process and its workers sync now.',
    registers,
  })
  const full = new Gauge({
    name: 'tributary_syncs_full_seconds',
    help: 'For how long this process has had no room for another sync; due profiles may wait.',
    registers,
  })
  return (runs, slots) => {
    runsEnded.reset()
    for (const end of RUN_ENDS) runsEnded.inc({ end }, runs[end])
    running.set(slots.reduce((sum, { open }) => sum + open, 0))
    full.set(Math.max(0, ...slots.map(({ fullMs }) => fullMs)) / 1000)
  }
}
