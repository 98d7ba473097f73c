import type { Clock } from '#base/clock.ts'
import type { Config } from '#base/config.ts'
import type { LaneView } from '#base/isolation/lane.ts'
import type { Log } from '#base/log.ts'
import type { QuotaSettings } from '#base/quota-variables.ts'
import type { Tracer } from '#base/trace.ts'
import type { AuthorizeNeed } from '#flows/authorize/need.ts'
import type { DeliverNeed } from '#flows/deliver/need.ts'
import type { AppsNeed } from '#flows/manage/apps.ts'
import type { AuthenticateNeed } from '#flows/manage/authenticate-app.ts'
import type { KeysNeed } from '#flows/manage/keys.ts'
import type { HealthNeed } from '#flows/operate/health.ts'
import type { JudgeRefusal } from '#flows/proxy/judge-refusal.ts'
import type { ReadPage } from '#flows/proxy/parse-page.ts'
import type { SyncNeed } from '#flows/sync/need.ts'
import type { AccessWatch } from '#model/access.ts'
import type { Tasks } from './tasks.ts'

/** What the door hands to the flows. Each flow declares the few parts of it that it uses. */
export interface House extends AppsNeed, KeysNeed, AuthenticateNeed, AuthorizeNeed, SyncNeed, DeliverNeed, HealthNeed {
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
  judgeRefusal?: JudgeRefusal | undefined
  access: AccessWatch
  clock: Clock
  log: Log
  tracer?: Tracer | undefined
}
