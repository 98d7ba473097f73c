import { Gauge, type Registry } from 'prom-client'
import type { quotaFigures } from '#flows/operations/usage.ts'

type QuotaFigures = Awaited<ReturnType<typeof quotaFigures>>

/** Returns a function that updates the metrics of quotas; undefined keeps their values. */
export function quotaMetrics(registry: Registry): (figures: QuotaFigures | undefined) => void {
  const registers = [registry]
  const used = new Gauge({
    name: 'tributary_quota_used_ratio',
    help: 'Share of a quota of an app that is used; 0 where it has no limit.',
    labelNames: ['app', 'quota'],
    registers,
  })
  const notices = new Gauge({
    name: 'tributary_quota_notices',
    help: 'Quotas of profiles, accounts and apps that are near (four fifths) or reached.',
    labelNames: ['quota', 'state'],
    registers,
  })
  return (figures) => {
    if (figures === undefined) return
    for (const gauge of [used, notices]) gauge.reset()
    for (const { app, quota, share } of figures.used) used.set({ app, quota }, share)
    for (const { quota, level, n } of figures.notices) notices.set({ quota, state: level }, n)
  }
}
