import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { queueDepths } from '#flows/operations/health.ts'
import { quotaFigures } from '#flows/operations/usage.ts'
import { sumCounters } from '#flows/push/deliver/counters.ts'
import { pushHealth } from '#flows/push/manage/status.ts'
import { faultCounts, parkedCount } from '#flows/sync/progress.ts'
import { sumLogCounts } from '#platform/telemetry/log-counts.ts'
import { requireAdmin } from './authenticate.ts'
import type { HttpDeps } from './deps.ts'
import { asideMetrics } from './fault-metrics.ts'
import { isLocalCaller } from './local-caller.ts'
import { logMetrics } from './log-metrics.ts'
import { pushMetrics } from './push-metrics.ts'
import { quotaMetrics } from './quota-metrics.ts'
import { route } from './route.ts'
import { workerMetrics } from './worker-metrics.ts'
import type { WorkerReport } from './worker-report.ts'

/** What one server measures. */
export interface Metrics {
  observe(method: string, path: string, status: number, elapsedMs: number): void
  /** All of them in Prometheus' format, as they are now. */
  show(deps: HttpDeps): Promise<string>
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'tributary_http_request_seconds',
    help: 'Time from request to answer, by route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
    registers,
  })
  const ready = new Gauge({
    name: 'tributary_queue_ready',
    help: 'Jobs that wait for a worker.',
    labelNames: ['queue'],
    registers,
  })
  const oldest = new Gauge({
    name: 'tributary_queue_oldest_seconds',
    help: 'Age of the oldest job that waits.',
    labelNames: ['queue'],
    registers,
  })
  const malformed = new Gauge({
    name: 'tributary_queue_dead_letters',
    help: 'Jobs whose payload could not be read, of the last two weeks.',
    labelNames: ['queue'],
    registers,
  })
  const describeWorkers = workerMetrics(registry)
  const tellPush = pushMetrics(registry)
  const tellQuotas = quotaMetrics(registry)
  const tellAside = asideMetrics(registry)
  const tellLog = logMetrics(registry)
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
      // Without a database some are missing, but all the more reason to show the rest.
      const read = async <Value>(what: string, ask: () => Promise<Value>): Promise<Value | undefined> => {
        try {
          return await ask()
        } catch (error) {
          deps.log.warn('a metric could not be read', { metric: what, error })
          return undefined
        }
      }
      for (const depth of (await read('queues', () => queueDepths(deps))) ?? []) {
        ready.set({ queue: depth.queue }, depth.ready)
        oldest.set({ queue: depth.queue }, depth.oldestMs / 1000)
        malformed.set({ queue: depth.queue }, depth.deadLetters)
      }
      const reports = deps.workerReports() as WorkerReport[]
      const pushCounters = sumCounters([deps.pushCounters.all(), ...reports.map(({ deliveries }) => deliveries)])
      tellPush(await read('push', () => pushHealth(deps)), pushCounters)
      describeWorkers(deps.workers(), await read('parked endpoints', () => parkedCount(deps)))
      tellQuotas(await read('quotas', () => quotaFigures(deps)))
      tellAside(await read('faults and quarantine', () => faultCounts(deps)))
      // The last, so that what could not be read just now is among them.
      tellLog(sumLogCounts([deps.log.counts(), ...reports.map(({ log }) => log)]))
      return registry.metrics()
    },
  }
}

export const metrics = route({
  // No CORS: being on this machine lets one in, and so a script of any page open on it would get in too.
  auth: 'browser',
  summary: 'Prometheus metrics; from this machine, or with the admin token',
  type: Registry.PROMETHEUS_CONTENT_TYPE,
  reasons: ['admin_token_invalid', 'too_many_attempts'],
  run: async (deps, { request }) => {
    if (!isLocalCaller(request.ip, request.headers, deps.config.baseUrl)) await requireAdmin(deps, request)
    return request.server.metrics.show(deps)
  },
})
