import type { AppsDeps } from '#flows/apps/apps.ts'
import type { AuthenticateDeps } from '#flows/apps/authenticate-app.ts'
import type { KeysDeps } from '#flows/apps/keys.ts'
import type { AuthorizeDeps } from '#flows/authorize/deps.ts'
import type { HealthDeps } from '#flows/operations/health.ts'
import type { ClassifyRefusal } from '#flows/proxy/classify-refusal.ts'
import type { ReadPage } from '#flows/proxy/parse-page.ts'
import type { DeliverDeps } from '#flows/push/deps.ts'
import type { SyncDeps } from '#flows/sync/deps.ts'
import type { AccessWatch } from '#model/access.ts'
import type { Clock } from '#platform/clock.ts'
import type { Config } from '#platform/config.ts'
import type { LaneView } from '#platform/isolation/lane.ts'
import type { QuotaSettings } from '#platform/quota-variables.ts'
import type { Log } from '#platform/telemetry/log.ts'
import type { Tracer } from '#platform/telemetry/trace.ts'
import type { Tasks } from './tasks.ts'

/** What the door hands to the flows. Each flow declares the few parts of it that it uses. */
export interface HttpDeps
  extends AppsDeps,
    KeysDeps,
    AuthenticateDeps,
    AuthorizeDeps,
    SyncDeps,
    DeliverDeps,
    HealthDeps {
  config: Pick<Config, 'baseUrl' | 'trustProxy' | 'drainMs' | 'sunsetMs' | keyof QuotaSettings>
  /** Undefined switches the admin API off. */
  adminToken: string | undefined
  version: string
  /** The demo's app, while `tributary demo` runs. */
  demo: () => { clientId: string; redirectUri: string } | undefined
  /** What runs in worker processes for a request. */
  tasks: Tasks
  /** The worker processes, and what each last reported: for metrics. */
  workers: () => LaneView[]
  workerReports: () => unknown[]
  /** Parses pages for the proxy; undefined: in this process. */
  readPage?: ReadPage | undefined
  /** Looks at refusals for the proxy; undefined: in this process. */
  classifyRefusal?: ClassifyRefusal | undefined
  access: AccessWatch
  clock: Clock
  log: Log
  tracer?: Tracer | undefined
}
