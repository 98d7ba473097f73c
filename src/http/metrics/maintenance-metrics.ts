import { Gauge, type Registry } from 'prom-client'
import type { ShownTask } from '#flows/operations/maintenance/task-states.ts'

/** Returns a function that updates the metrics of maintenance; undefined keeps their values. */
export function maintenanceMetrics(registry: Registry): (tasks: ShownTask[] | undefined) => void {
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `tributary_maintenance_${name}`, help, labelNames: ['task'], registers: [registry] })
  const started = gauge('started_seconds', 'When a task of maintenance last began, in seconds since 1970.')
  const succeeded = gauge('succeeded_seconds', 'When a task of maintenance last succeeded, in seconds since 1970.')
  const fails = gauge('fails', 'Failed runs of a task of maintenance since it last succeeded.')
  const done = gauge('rows', 'Rows that the last run of a task of maintenance changed.')
  return (tasks) => {
    if (tasks === undefined) return
    for (const each of [started, succeeded, fails, done]) each.reset()
    for (const { task, startedAt, succeededAt, fails: failed, done: rows } of tasks) {
      // One that never began says nothing: there may be no worker yet.
      if (startedAt === undefined) continue
      started.set({ task }, startedAt / 1000)
      succeeded.set({ task }, (succeededAt ?? 0) / 1000)
      fails.set({ task }, failed)
      done.set({ task }, rows)
    }
  }
}
