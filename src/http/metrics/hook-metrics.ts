import { Gauge, type Registry } from 'prom-client'
import type { subscriptionCounts } from '#flows/sync/hooks/list-subscriptions.ts'

type Figures = Awaited<ReturnType<typeof subscriptionCounts>>

/** Returns a function that updates the metrics of subscriptions to webhooks; undefined keeps their values. */
export function hookMetrics(registry: Registry): (figures: Figures | undefined) => void {
  const subscriptions = new Gauge({
    name: 'tributary_hook_subscriptions',
    help: 'Subscriptions to webhooks of services, by state; failing: the last call failed.',
    labelNames: ['service', 'state'],
    registers: [registry],
  })
  return (figures) => {
    if (figures === undefined) return
    subscriptions.reset()
    for (const { service, state, n } of figures) subscriptions.set({ service, state }, n)
  }
}
