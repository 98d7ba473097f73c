import type { Readable } from 'node:stream'
import type { RateLimiter } from '#access/rate-limiter.ts'
import type { Connector } from '#kit/connector.ts'
import type { Registry } from '#kit/registry.ts'
import type { Profile } from '#model/profile.ts'
import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { Keyring } from '#platform/sealing.ts'
import type { Log } from '#platform/telemetry/log.ts'
import type { Upstream } from '#upstream/send.ts'
import type { ServiceKey } from '#upstream/service-key.ts'
import type { JudgeRefusal } from './judge-refusal.ts'
import type { ReadPage } from './parse-page.ts'

export interface ProxyDeps {
  database: Database
  keyring: Keyring
  clock: Clock
  log: Log
  registry: Registry
  upstream: Upstream
  rateLimiter: RateLimiter
  patience?: Patience | undefined
  /** Parses a page of a listing; undefined: in this process. */
  readPage?: ReadPage | undefined
  /** Parses a refusal; undefined: in this process. */
  judgeRefusal?: JudgeRefusal | undefined
}

/** How long a service may keep silent. */
export interface Patience {
  /** From the last byte of the request to the headers of the answer. */
  headersMs: number
  /** Between two pieces of the answer. */
  idleMs: number
}

// A service may work for a while on what was just uploaded. One number for both: the client then keeps one timer running.
export const PATIENCE: Patience = { headersMs: 120_000, idleMs: 120_000 }

/** Whose call it is and where it goes. */
export interface Target {
  profile: Profile
  connector: Connector
  key: ServiceKey
  /** The person's own server, where the service has many. */
  server: string | undefined
}

/** What had to be done beside passing the call on. */
export interface CallNotes {
  /** The credential was refreshed. */
  refreshed: boolean
  /** The request was sent more than once. */
  retried: boolean
}

/** The service's answer, made fit to be passed on. */
export interface ProxyResponse {
  status: number
  headers: Record<string, string | string[]>
  /** What is short is there as a whole. */
  body: Buffer | Readable
}
