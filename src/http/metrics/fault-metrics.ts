import { Counter, Gauge, type Registry } from 'prom-client'
import { mapFaults } from '#flows/read/map-faults.ts'
import type { faultCounts } from '#flows/sync/progress.ts'

type Figures = Awaited<ReturnType<typeof faultCounts>>

/** Returns a function that updates the metrics of faults and quarantine; undefined keeps their values. */
export function faultMetrics(registry: Registry): (figures: Figures | undefined) => void {
  const registers = [registry]
  const labelNames = ['service', 'endpoint']
  const faults = new Gauge({
    name: 'tributary_reader_faults',
    help: 'Fields of records that connectors could not read.',
    labelNames,
    registers,
  })
  const quarantined = new Gauge({
    name: 'tributary_quarantined_records',
    help: 'Records in quarantine, which could not be stored.',
    labelNames,
    registers,
  })
  const onRequest = new Counter({
    name: 'tributary_map_faults_total',
    help: 'Fields of stored records that connectors could not read for a request, by this process since it started.',
    labelNames: [...labelNames, 'field'],
    registers,
  })
  return (figures) => {
    onRequest.reset()
    for (const { service, endpoint, field, n } of mapFaults()) onRequest.inc({ service, endpoint, field }, n)
    if (figures === undefined) return
    for (const gauge of [faults, quarantined]) gauge.reset()
    for (const { service, endpoint, n } of figures.faults) faults.set({ service, endpoint }, n)
    for (const { service, endpoint, n } of figures.quarantined) quarantined.set({ service, endpoint }, n)
  }
}
