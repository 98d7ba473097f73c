import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { maintenanceStates } from '#flows/operations/maintenance/task-states.ts'
import { quotaFigures } from '#flows/operations/usage.ts'
import { sumCounters } from '#flows/push/delivery-counters.ts'
import { pushHealth } from '#flows/push/manage/status.ts'
import { subscriptionCounts } from '#flows/sync/hooks/list-subscriptions.ts'
import { faultCounts, parkedCount } from '#flows/sync/progress.ts'
import { countRereads } from '#flows/sync/reread/reread-profiles.ts'
import { sumRunCounts } from '#flows/sync/run/run-counts.ts'
import { spendingFigures } from '#flows/sync/schedule/spending-figures.ts'
import { createStateCounts } from '#flows/sync/state-counts.ts'
import { sumLogCounts } from '#platform/telemetry/log-counts.ts'
import { requireFullOperator } from '../server/authenticate.ts'
import type { HttpDeps } from '../server/deps.ts'
import { isLocalCaller } from '../server/local-caller.ts'
import { route } from '../server/route.ts'
import { faultMetrics } from './fault-metrics.ts'
import { hookMetrics } from './hook-metrics.ts'
import { logMetrics } from './log-metrics.ts'
import { maintenanceMetrics } from './maintenance-metrics.ts'
import { pushMetrics } from './push-metrics.ts'
import { quotaMetrics } from './quota-metrics.ts'
import { replicaMetrics } from './replica-metrics.ts'
import { spendingMetrics } from './spending-metrics.ts'
import { stateMetrics } from './state-metrics.ts'
import { syncMetrics } from './sync-metrics.ts'
import { workerMetrics } from './worker-metrics.ts'
import { slotsReport, type WorkerReport } from './worker-report.ts'

/** The metrics of one server. */
export interface Metrics {
  observe(method: string, path: string, status: number, elapsedMs: number): void
  /** Returns the current values in Prometheus' format. */
  show(deps: HttpDeps): Promise<string>
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'tributary_http_request_seconds',
    help: 'Time from request to response, by route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
    registers,
  })
  const rereads = new Gauge({
    name: 'tributary_profiles_to_reread',
    help: 'Profiles whose stored records are still to be read again after an upgrade.',
    registers,
  })
  const updateWorkers = workerMetrics(registry)
  const updateSyncs = syncMetrics(registry)
  const updateStates = stateMetrics(registry)
  const countStates = createStateCounts()
  const updatePush = pushMetrics(registry)
  const updateQuotas = quotaMetrics(registry)
  const updateSpending = spendingMetrics(registry)
  const updateFaults = faultMetrics(registry)
  const updateHooks = hookMetrics(registry)
  const updateReplica = replicaMetrics(registry)
  const updateMaintenance = maintenanceMetrics(registry)
  const updateLog = logMetrics(registry)
  // Finding the labelled counter costs more than counting.
  const counters = new Map<string, ReturnType<typeof requests.labels>>()

  return {
    observe: (method, path, status, elapsedMs) => {
      const key = `${method} ${path} ${status}`
      let counter = counters.get(key)
      if (counter === undefined) {
        counter = requests.labels({ method, route: path, status: String(status) })
        counters.set(key, counter)
      }
      counter.observe(elapsedMs / 1000)
    },
    show: async (deps) => {
      // Without a database some metrics are missing; the others are still returned.
      const read = async <Value>(metric: string, query: () => Promise<Value>): Promise<Value | undefined> => {
        try {
          return await query()
        } catch (error) {
          deps.log.warn('a metric could not be read', { metric, error })
          return undefined
        }
      }
      const reports = deps.workerReports() as WorkerReport[]
      updateSyncs(sumRunCounts([deps.syncRuns, ...reports.map(({ syncs }) => syncs)]), [
        slotsReport(deps.syncSlots),
        ...reports.map(({ slots }) => slots),
      ])
      updateStates(await read('states', () => countStates(deps)))
      const pushCounters = sumCounters([deps.pushCounters.all(), ...reports.map(({ deliveries }) => deliveries)])
      updatePush(await read('push', () => pushHealth(deps)), pushCounters)
      updateWorkers(deps.workers(), await read('parked endpoints', () => parkedCount(deps)))
      const toReread = await read('profiles to reread', () => countRereads(deps))
      if (toReread !== undefined) rereads.set(toReread)
      updateQuotas(await read('quotas', () => quotaFigures(deps)))
      updateSpending(await read('spending', () => spendingFigures(deps)))
      updateFaults(await read('faults and quarantine', () => faultCounts(deps)))
      updateHooks(await read('subscriptions to webhooks', () => subscriptionCounts(deps)))
      updateMaintenance(await read('maintenance', () => maintenanceStates(deps)))
      updateReplica(deps.replica?.status())
      // The last, so that it counts metrics that could not be read just now.
      updateLog(sumLogCounts([deps.log.counts(), ...reports.map(({ log }) => log)]))
      return registry.metrics()
    },
  }
}

export const metrics = route({
  // `browser` disables CORS: local callers are trusted, but scripts of pages open on this machine must not read the metrics.
  auth: 'browser',
  summary: 'Get Prometheus metrics; from this machine, or with the admin token',
  type: Registry.PROMETHEUS_CONTENT_TYPE,
  reasons: ['role_refused', 'signed_out', 'origin_refused', 'admin_token_invalid', 'too_many_attempts'],
  run: async (deps, { request }) => {
    if (!isLocalCaller(request.ip, request.headers, deps.config.baseUrl)) await requireFullOperator(deps, request)
    return request.server.metrics.show(deps)
  },
})
