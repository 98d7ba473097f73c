import { type LabClock, type ServiceClock, serviceClock } from './clock.ts'
import { controlRoutes } from './control.ts'
import { createFaultList, type FaultList } from './faults.ts'
import { seededRandom } from './random.ts'
import { createRequestLog, type RequestLog } from './request-log.ts'
import { startServer } from './server.ts'
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
  host: string
  port: number
}

export async function startService(definition: ServiceDefinition, options: StartOptions): Promise<LabService> {
  const clock = serviceClock(options.clock)
  const faults = createFaultList()
  const requests = createRequestLog()
  let url = ''
  const random = seededRandom(options.seed).fork(definition.name)
  const parts = definition.build({ name: definition.name, clock, random, url: () => url })
  const { routes, endpoints, ...rest } = parts
  const server = await startServer({
    routes,
    controlRoutes: controlRoutes({ parts, clock, labClock: options.clock, faults, requests }),
    clock,
    log: requests,
    faults,
    host: options.host,
    port: options.port,
  })
  url = `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${server.port}`
  return {
    ...rest,
    name: definition.name,
    title: definition.brand.title,
    url,
    endpoints: endpoints(),
    clock,
    faults,
    requests,
    close: server.close,
  }
}
