import { Counter, type Registry } from 'prom-client'
import { RUN_ENDS, type RunCounts } from '#flows/sync/run/run-counts.ts'

/** Returns a function that updates the metrics of syncs. */
export function syncMetrics(registry: Registry): (runs: RunCounts) => void {
  const runsEnded = new Counter({
    name: 'tributary_sync_runs_total',
    help: 'Runs of profiles that ended, by this process and its workers since it started.',
    labelNames: ['end'],
    registers: [registry],
  })
  return (runs) => {
    runsEnded.reset()
    for (const end of RUN_ENDS) runsEnded.inc({ end }, runs[end])
  }
}
