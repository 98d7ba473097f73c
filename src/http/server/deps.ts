import type { Config } from '#config/config.ts'
import type { AppsDeps } from '#flows/apps/apps.ts'
import type { AuthenticateDeps } from '#flows/apps/authenticate-app.ts'
import type { KeysDeps } from '#flows/apps/keys.ts'
import type { DemoServices } from '#flows/operations/demo-services.ts'
import type { HealthDeps } from '#flows/operations/health.ts'
import type { ClassifyRefusal } from '#flows/proxy/classify-refusal.ts'
import type { ReadPage } from '#flows/proxy/parse-page.ts'
import type { DeliverDeps } from '#flows/push/deps.ts'
import type { PeopleDeps } from '#flows/read/people/people.ts'
import type { SyncDeps } from '#flows/sync/deps.ts'
import type { RunCounts } from '#flows/sync/run/run-counts.ts'
import type { LoggedDeps } from '#identity/deps.ts'
import type { TokenUses } from '#identity/token-uses.ts'
import type { AccessWatch } from '#model/accounts/access.ts'
import type { QuotaSettings } from '#model/apps/quota-variables.ts'
import type { Clock } from '#platform/clock.ts'
import type { LaneView } from '#platform/isolation/lane.ts'
import type { Replica } from '#platform/postgres/replica.ts'
import type { Log } from '#platform/telemetry/log.ts'
import type { Tracer } from '#platform/telemetry/trace.ts'
import type { RunSlots } from '#platform/waiting/run-slots.ts'
import type { Sending } from '../exchange/reply.ts'
import type { Tasks } from './tasks.ts'

/** The dependencies of the HTTP server, which it passes to the flows. Each flow declares the parts that it uses. */
export interface HttpDeps
  extends AppsDeps,
    KeysDeps,
    AuthenticateDeps,
    LoggedDeps,
    SyncDeps,
    DeliverDeps,
    PeopleDeps,
    HealthDeps {
  config: Pick<
    Config,
    | 'baseUrl'
    | 'databaseReadUrl'
    | 'databaseUrl'
    | 'drainMs'
    | 'host'
    | 'sunsetMs'
    | 'auditDays'
    | 'logDays'
    | 'proxyOrigin'
    | 'proxyPorts'
    | 'trustProxy'
    | keyof QuotaSettings
  >
  /** Undefined when the keys come from the environment. */
  keyFile: string | undefined
  /** Undefined disables the admin API. */
  adminToken: string | undefined
  version: string
  /** The demo's app, while `tributary demo` runs. */
  demo: () => { clientId: string; redirectUri: string; services: DemoServices } | undefined
  /** Work for a request that runs in worker processes. */
  tasks: Tasks
  /** The worker processes and their last reports, for metrics. */
  workers: () => LaneView[]
  workerReports: () => unknown[]
  /** What this process has synced, without its workers. */
  syncRuns: RunCounts
  syncSlots: RunSlots
  /** Parses pages for the proxy; undefined: in this process. */
  readPage?: ReadPage | undefined
  /** Classifies refusals for the proxy; undefined: in this process. */
  classifyRefusal?: ClassifyRefusal | undefined
  /** For reads of items that allow staleness; absent without `DATABASE_READ_URL`. */
  replica?: Replica | undefined
  operations: LoggedDeps['operations']
  tokenUses: TokenUses
  access: AccessWatch
  clock: Clock
  log: Log
  tracer?: Tracer | undefined
  /** Sees every response before it is sent. */
  onSend?: Sending['onSend'] | undefined
}
