import type { Readable } from 'node:stream'
import type { RateLimiter } from '#access/rate-limiter.ts'
import type { CallCost } from '#kit/connector/call-cost.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { Registry } from '#kit/connector/registry.ts'
import type { Account } from '#model/accounts/account.ts'
import type { CalledProfile } from '#model/accounts/profile.ts'
import type { Clock } from '#platform/clock.ts'
import type { Keyring } from '#platform/crypto/sealing.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'
import type { StoredForCalls } from '#store/identity/calling-accounts.ts'
import type { Upstream } from '#upstream/request/send.ts'
import type { ServiceKey } from '#upstream/request/service-key.ts'
import type { ClassifyRefusal } from './classify-refusal.ts'
import type { ReadPage } from './parse-page.ts'

export interface ProxyDeps {
  database: Database
  keyring: Keyring
  clock: Clock
  log: Log
  registry: Registry
  upstream: Upstream
  rateLimiter: RateLimiter
  timeouts?: ProxyTimeouts | undefined
  /** Parses a page of a listing, possibly in another process; undefined: in this one. */
  readPage?: ReadPage | undefined
  /** Classifies a refusal, possibly in another process; undefined: in this one. */
  classifyRefusal?: ClassifyRefusal | undefined
}

/** How long a service may send nothing. */
export interface ProxyTimeouts {
  /** From the last byte of the request to the response headers. */
  headersMs: number
  /** Between two chunks of the response. */
  idleMs: number
}

// Long, because a service may process an upload first. Equal, because the HTTP client then uses one timer for both.
export const DEFAULT_TIMEOUTS: ProxyTimeouts = { headersMs: 120_000, idleMs: 120_000 }

/** The account that calls. */
export interface Caller {
  account: Account
  /** What was read with it. */
  stored?: ReadForCalls | undefined
  /** Neither is older than the call. */
  isCurrent?: boolean
  /** Reads it again; absent if it was just read. */
  reload?: (() => Promise<Caller>) | undefined
}

/** What was read with an account for calls of one service. What is made of it is cached until then, and not for longer. */
export interface ReadForCalls extends StoredForCalls {
  untilMs: number
}

/** The profile that a call is made for, and the service it goes to. */
export interface Target {
  profile: CalledProfile
  connector: Connector
  key: ServiceKey
  /** The person's own server, where the service has many. */
  server: string | undefined
  /** What the call counts as in the service's limits; absent: one read. */
  cost?: CallCost | undefined
  /** What was read with the account. */
  stored?: ReadForCalls | undefined
  /** `stored` is not older than the call. */
  isCurrent?: boolean | undefined
}

/** What was done besides forwarding the call. */
export interface CallFlags {
  /** The credential was refreshed. */
  refreshed: boolean
  /** The request was sent more than once. */
  retried: boolean
  /** What the call was signed with; the log shows none of it. */
  secrets: readonly string[]
}

/** The service's response with the headers that may be passed on. */
export interface ProxyResponse {
  status: number
  headers: Record<string, string | string[]>
  /** A short body is buffered. */
  body: Buffer | Readable
}
