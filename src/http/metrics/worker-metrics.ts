import { Counter, Gauge, type Registry } from 'prom-client'
import type { LaneView } from '#platform/isolation/lane.ts'

/** Returns a function that updates the metrics of the worker processes. */
export function workerMetrics(registry: Registry): (workers: LaneView[], parkedEndpoints: number | undefined) => void {
  const registers = [registry]
  const up = new Gauge({
    name: 'tributary_worker_up',
    help: 'Whether a worker process of the lane runs.',
    labelNames: ['lane'],
    registers,
  })
  const memory = new Gauge({
    name: 'tributary_worker_memory_bytes',
    help: 'Resident memory of the worker process of a lane.',
    labelNames: ['lane'],
    registers,
  })
  const jobs = new Gauge({
    name: 'tributary_worker_jobs',
    help: 'Jobs in progress in the worker process of a lane.',
    labelNames: ['lane'],
    registers,
  })
  const deaths = new Counter({
    name: 'tributary_worker_deaths_total',
    help: 'Worker processes that ended unexpectedly since this process started.',
    labelNames: ['lane', 'reason'],
    registers,
  })
  const parked = new Gauge({
    name: 'tributary_parked_endpoints',
    help: 'Endpoints of profiles that are parked because they ended three workers.',
    registers,
  })
  return (workers, parkedEndpoints) => {
    deaths.reset()
    for (const { lane, pid, ready, memoryBytes, held, deaths: counts } of workers) {
      up.set({ lane }, ready ? 1 : 0)
      memory.set({ lane }, pid === undefined ? 0 : memoryBytes)
      jobs.set({ lane }, held)
      for (const { reason, count } of counts) deaths.inc({ lane, reason }, count)
    }
    if (parkedEndpoints !== undefined) parked.set(parkedEndpoints)
  }
}
