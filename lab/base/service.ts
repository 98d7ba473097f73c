import { type LabClock, type ServiceClock, serviceClock } from './clock.ts'
import { controlRoutes } from './control.ts'
import { createFaultList, type FaultList } from './faults.ts'
import { seededRandom } from './random.ts'
import { createRequestLog, type RequestLog } from './request-log.ts'
import { type Listen, startServer } from './server.ts'
import type { ServiceDefinition, ServiceParts } from './service-parts.ts'

export interface LabService extends Omit<ServiceParts, 'routes' | 'endpoints'> {
  name: string
  title: string
  url: string
  endpoints: Record<string, string>
  clock: ServiceClock
  faults: FaultList
  requests: RequestLog
  close: () => Promise<void>
}

export interface StartOptions {
  clock: LabClock
  seed: number | string
  listen: Listen
  /** Limits the `activity` of each person: most tests need a person, not hundreds of items. */
  maxActivity?: number | undefined
  /** How a demo service differs from one that a test starts. */
  demo?: DemoOptions
}

export interface DemoOptions {
  /** Where browsers reach the service. */
  url: () => string
  reach: (url: string) => string
  /** Data is generated as of this time, so that a restart generates the same. */
  startMs: number
  /** The time in the data. */
  dataNow: () => number
  /** Called when a request may have changed what is kept, before it is answered. */
  save: () => void
}

export async function startService(definition: ServiceDefinition, options: StartOptions): Promise<LabService> {
  const clock = serviceClock(options.clock)
  const faults = createFaultList()
  const requests = createRequestLog()
  let url = ''
  const random = seededRandom(options.seed).fork(definition.name)
  const { demo, listen } = options
  let isBuilt = false
  const dataNow = () => (isBuilt ? (demo?.dataNow() ?? clock.now()) : (demo?.startMs ?? clock.now()))
  const parts = definition.build({
    name: definition.name,
    clock,
    dataClock: { skewMs: 0, now: dataNow },
    random,
    url: demo?.url ?? (() => url),
    reach: demo?.reach ?? ((address) => address),
    acceptsHint: demo !== undefined,
    maxActivity: options.maxActivity,
  })
  isBuilt = true
  const { routes, endpoints, ...rest } = parts
  const server = await startServer({
    routes,
    // The demo has a control socket of its own: what reaches its services must not reach their controls.
    controlRoutes: demo ? {} : controlRoutes({ parts, clock, labClock: options.clock, faults, requests }),
    onWrite: demo?.save,
    clock,
    log: requests,
    faults,
    listen,
  })
  if ('port' in listen) url = `http://${listen.host.includes(':') ? `[${listen.host}]` : listen.host}:${server.port}`
  return {
    ...rest,
    name: definition.name,
    title: definition.brand.title,
    url: demo?.url() ?? url,
    endpoints: endpoints(),
    clock,
    faults,
    requests,
    close: server.close,
  }
}
