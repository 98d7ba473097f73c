import { Counter, Gauge, type Registry } from 'prom-client'
import type { ReplicaStatus } from '#platform/postgres/replica.ts'

/** Returns a function that updates the metrics of the replica. Without `DATABASE_READ_URL` there are none. */
export function replicaMetrics(registry: Registry): (status: ReplicaStatus | undefined) => void {
  let metrics: ReturnType<typeof createMetrics> | undefined
  return (status) => {
    if (status === undefined) return
    metrics ??= createMetrics(registry)
    const { up, lag, reads } = metrics
    up.set(status.problem === undefined ? 1 : 0)
    lag.set(status.stalenessMs === undefined ? Number.NaN : status.stalenessMs / 1000)
    reads.reset()
    reads.inc({ outcome: 'answered' }, status.reads.answered)
    reads.inc({ outcome: 'failed' }, status.reads.failed)
    reads.inc({ outcome: 'refused' }, status.refused)
  }
}

function createMetrics(registry: Registry) {
  const registers = [registry]
  return {
    up: new Gauge({
      name: 'tributary_replica_up',
      help: 'Whether the replica can be used for reads that allow staleness.',
      registers,
    }),
    lag: new Gauge({
      name: 'tributary_replica_lag_seconds',
      help: 'How old the data of the replica may be; NaN while it cannot be used.',
      registers,
    }),
    reads: new Counter({
      name: 'tributary_replica_reads_total',
      help: 'Statements that the replica answered, statements that failed there and ran on the primary, and requests for which it was too old.',
      labelNames: ['outcome'],
      registers,
    }),
  }
}
