import { Counter, type Registry } from 'prom-client'
import type { LogCount } from '#platform/telemetry/log-counts.ts'

/** Returns a function that updates the metrics of warnings and errors. */
export function logMetrics(registry: Registry): (counts: LogCount[]) => void {
  const lines = new Counter({
    name: 'tributary_log_lines_total',
    help: 'Warnings and errors by message, of this process and its workers since it started.',
    labelNames: ['level', 'message'],
    registers: [registry],
  })
  return (counts) => {
    lines.reset()
    for (const { level, message, count } of counts) lines.inc({ level, message }, count)
  }
}
