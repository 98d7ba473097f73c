import { Gauge, type Registry } from 'prom-client'
import type { createStateCounts } from '#flows/sync/state-counts.ts'

type Counts = Awaited<ReturnType<ReturnType<typeof createStateCounts>>>

/** Returns a function that updates the metrics of profiles and of failing endpoints; undefined keeps their values. */
export function stateMetrics(registry: Registry): (counts: Counts | undefined) => void {
  const registers = [registry]
  const profiles = new Gauge({
    name: 'tributary_profiles',
    help: 'Profiles, by service and state; counted at most once a minute.',
    labelNames: ['service', 'state'],
    registers,
  })
  const failing = new Gauge({
    name: 'tributary_failing_endpoints',
    help: 'Endpoints of profiles whose last run failed or was held back, by the reason; counted at most once a minute.',
    labelNames: ['service', 'reason'],
    registers,
  })
  return (counts) => {
    if (counts === undefined) return
    for (const gauge of [profiles, failing]) gauge.reset()
    for (const { service, state, n } of counts.profiles) profiles.set({ service, state }, n)
    for (const { service, reason, n } of counts.failing) failing.set({ service, reason }, n)
  }
}
