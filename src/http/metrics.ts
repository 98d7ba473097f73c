import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { pushHealth } from '#flows/deliver/look.ts'
import { allTallies, sumTallies, type Tally } from '#flows/deliver/tally.ts'
import { queueDepths } from '#flows/operate/health.ts'
import { quotaFigures } from '#flows/operate/usage.ts'
import { asideFigures, parkedCount } from '#flows/sync/progress.ts'
import { asideMetrics } from './aside-metrics.ts'
import { requireAdmin } from './authenticate.ts'
import { isLocalCaller } from './local-caller.ts'
import { route } from './route.ts'
import { workerMetrics } from './worker-metrics.ts'

const registry = new Registry()
collectDefaultMetrics({ register: registry })

const requests = new Histogram({
  name: 'tributary_http_request_seconds',
  help: 'Time from request to answer, by route and status.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
  registers: [registry],
})
const ready = new Gauge({
  name: 'tributary_queue_ready',
  help: 'Jobs that wait for a worker.',
  labelNames: ['queue'],
  registers: [registry],
})
const oldest = new Gauge({
  name: 'tributary_queue_oldest_seconds',
  help: 'Age of the oldest job that waits.',
  labelNames: ['queue'],
  registers: [registry],
})

const tellWorkers = workerMetrics(registry)
const tellAside = asideMetrics(registry)

// Finding the labelled counter costs more than counting.
const counters = new Map<string, ReturnType<typeof requests.labels>>()

const pushGauge = (name: string, help: string, labelNames = ['kind']) =>
  new Gauge({ name: `tributary_push_${name}`, help, labelNames, registers: [registry] })
const destinations = pushGauge('destinations', 'Destinations, by kind and state.', ['kind', 'state'])
const lagChanges = pushGauge('lag_changes', 'Changes that destinations of a kind have not heard of yet.')
const lagSeconds = pushGauge(
  'lag_seconds',
  'Age of the oldest change that a destination of a kind has not heard of yet.',
)
const deadLetters = pushGauge('dead_letters', 'Rows that destinations of a kind would not take.')
/** Of this process and its workers, as of the last look. */
let tallies: [string, Tally][] = []
const pushCounter = (name: string, help: string, read: (tally: Tally) => number) =>
  new Counter({
    name: `tributary_push_${name}_total`,
    help: `${help}, by this process and its workers since it started.`,
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [kind, tally] of tallies) this.inc({ kind }, read(tally))
    },
  })
pushCounter('rows', 'Rows delivered', ({ rows }) => rows)
pushCounter('batches', 'Batches delivered', ({ batches }) => batches)
pushCounter('failures', 'Deliveries that failed', ({ failures }) => failures)
pushCounter('dead_lettered', 'Rows set aside', ({ deadLetters: set }) => set)

async function collectPush(need: Parameters<typeof pushHealth>[0]): Promise<void> {
  const health = await pushHealth(need)
  for (const gauge of [destinations, lagChanges, lagSeconds, deadLetters]) gauge.reset()
  for (const { kind, state, n } of health.destinations) destinations.set({ kind, state }, n)
  for (const { kind, changes, seconds } of health.lag) {
    lagChanges.set({ kind }, changes)
    lagSeconds.set({ kind }, seconds)
  }
  for (const { kind, n } of health.deadLetters) deadLetters.set({ kind }, n)
}

const quotaUsed = new Gauge({
  name: 'tributary_quota_used_ratio',
  help: 'Share of a quota of an app that is used; 0 where it has no limit.',
  labelNames: ['app', 'quota'],
  registers: [registry],
})
const quotaNotices = new Gauge({
  name: 'tributary_quota_notices',
  help: 'Quotas of profiles, accounts and apps that are near (four fifths) or reached.',
  labelNames: ['quota', 'state'],
  registers: [registry],
})

async function collectQuotas(need: Parameters<typeof quotaFigures>[0]): Promise<void> {
  const { used, notices } = await quotaFigures(need)
  for (const gauge of [quotaUsed, quotaNotices]) gauge.reset()
  for (const { app, quota, share } of used) quotaUsed.set({ app, quota }, share)
  for (const { quota, level, n } of notices) quotaNotices.set({ quota, state: level }, n)
}

export function observeRequest(method: string, path: string, status: number, elapsedMs: number): void {
  const key = `${method} ${path} ${status}`
  let counter = counters.get(key)
  if (counter === undefined) {
    counter = requests.labels({ method, route: path, status: String(status) })
    counters.set(key, counter)
  }
  counter.observe(elapsedMs / 1000)
}

export const metrics = route({
  // No CORS: being on this machine lets one in, and so a script of any page open on it would get in too.
  door: 'page',
  summary: 'Prometheus metrics; from this machine, or with the admin token',
  type: registry.contentType,
  reasons: ['admin_token_invalid', 'too_many_attempts'],
  run: async (house, { request }) => {
    if (!isLocalCaller(request.ip, request.headers, house.config.baseUrl)) await requireAdmin(house, request)
    // Without a database there is no depth to tell, but all the more reason to tell the rest.
    for (const depth of await queueDepths(house).catch(() => [])) {
      ready.set({ queue: depth.queue }, depth.ready)
      oldest.set({ queue: depth.queue }, depth.oldestMs / 1000)
    }
    await collectPush(house).catch(() => {})
    tallies = sumTallies([allTallies(), ...house.workerReports()])
    tellWorkers(house.workers(), await parkedCount(house).catch(() => undefined))
    await collectQuotas(house).catch(() => {})
    tellAside(await asideFigures(house).catch(() => undefined))
    return registry.metrics()
  },
})
