import { Gauge, type Registry } from 'prom-client'
import type { spendingFigures } from '#flows/sync/schedule/spending-figures.ts'

type SpendingFigures = Awaited<ReturnType<typeof spendingFigures>>

/** Returns a function that updates the metrics of spending; undefined keeps their values. */
export function spendingMetrics(registry: Registry): (figures: SpendingFigures | undefined) => void {
  const labelNames = ['app', 'service', 'currency']
  const registers = [registry]
  const spent = new Gauge({
    name: 'tributary_spending',
    help: 'What the calls of syncs to endpoints that cost money have cost an app this month (UTC).',
    labelNames,
    registers,
  })
  const limits = new Gauge({
    name: 'tributary_spending_limit',
    help: 'What an app may spend at a service in a month, where it set a limit.',
    labelNames,
    registers,
  })
  return (figures) => {
    if (figures === undefined) return
    for (const gauge of [spent, limits]) gauge.reset()
    for (const { app, service, currency, spent: amount, limit } of figures) {
      spent.set({ app, service, currency }, amount)
      if (limit !== undefined) limits.set({ app, service, currency }, limit)
    }
  }
}
