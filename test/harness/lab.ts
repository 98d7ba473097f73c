import { startLab } from '../../lab/lab.ts'
import type { Tuning } from '../../src/boot/tuning.ts'
import { type App, makeApp } from './app.ts'
import { type RegisteredKeys, registerAt } from './callback.ts'
import { LOOPBACK } from './loopback.ts'
import { REDIRECT, startUrl } from './sign-in.ts'
import { startTributary, type Tributary } from './start.ts'

export type DemoService = 'demo-social' | 'demo-micro' | 'demo-health'
const SERVICES: DemoService[] = ['demo-social', 'demo-micro', 'demo-health']

/** An app with keys at the demo services. */
export interface LabApp extends App {
  /** Key, secret and redirect address at each service. */
  keys: Record<string, RegisteredKeys>
}

export interface AppOptions {
  name?: string
  redirectUris?: string[]
  isPublic?: boolean
  services?: DemoService[]
  apply?: 'proven' | 'any'
}

/** What a test gets from `startLabHarness`. */
export type LabHarness = Awaited<ReturnType<typeof startLabHarness>>

/** Enough for every kind of item; first syncs of hundreds of them were a third of the processor time of all tests. */
export const FEW_ITEMS = 20
/** For tests of many pages: about 300 items of each kind, as in the demo. */
export const MANY_ITEMS = Infinity

/** Starts the service and the three demo services of the lab, and creates an app with keys for all of them. */
export async function startLabHarness(
  env: Record<string, string> = {},
  tuning: Tuning = {},
  { maxActivity = FEW_ITEMS }: { maxActivity?: number } = {},
) {
  const lab = await startLab({ services: SERVICES, maxActivity })
  const tributary = await startTributary({ TRIBUTARY_ALLOW_PRIVATE: LOOPBACK, ...env }, tuning).catch(
    async (error: unknown) => {
      await lab.close()
      throw error
    },
  )
  const app = await makeLabApp(tributary, lab)
  return {
    lab,
    tributary,
    app,
    makeApp: (options: AppOptions = {}) => makeLabApp(tributary, lab, options),
    /** The address at which a person starts a sign-in. */
    startUrl: (service: string, query: Record<string, string> = {}, by: Pick<LabApp, 'clientId'> = app) =>
      startUrl({ tributary }, service, query, by),
    sql: tributary.sql,
    stop: async () => {
      try {
        await tributary.stop()
      } finally {
        // Also when a response was not as described: a service that goes on would keep the process alive.
        await lab.close()
      }
    },
  }
}

async function makeLabApp(
  tributary: Tributary,
  lab: Awaited<ReturnType<typeof startLab<DemoService>>>,
  {
    name = 'Lab App',
    redirectUris = [REDIRECT],
    isPublic = false,
    services = SERVICES,
    apply = 'any',
  }: AppOptions = {},
): Promise<LabApp> {
  const app = await makeApp(tributary, { name, redirectUris, isPublic, apply })
  const keys: LabApp['keys'] = {}
  for (const service of services)
    keys[service] = await registerAt(tributary, app, service, lab.services[service], { name })
  return { ...app, keys }
}
