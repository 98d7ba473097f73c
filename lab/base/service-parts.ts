import type { ServiceClock } from './clock.ts'
import type { Brand } from './page.ts'
import type { Person } from './people.ts'
import type { Random } from './random.ts'
import type { Routes } from './router.ts'
import type { WebhookControl } from './webhooks.ts'

/** What a service's `build` receives. */
export interface ServiceContext {
  name: string
  clock: ServiceClock
  /** The time in the data. In the demo it is behind, and “a week later” moves it; tokens, signatures and rate limits stay with `clock`. */
  dataClock: ServiceClock
  random: Random
  /** The service's URL, without a trailing slash. */
  url: () => string
  /** The address at which this process reaches a webhook; the one that was given, unless the app runs on this machine. */
  reach: (url: string) => string
  /** The demo's one-click start may name a person in the authorization request, who then signs in without pages. */
  acceptsHint: boolean
  /** Limits the `activity` of each person; undefined: not at all. */
  maxActivity?: number | undefined
}

/** State that outlives the process, as JSON. */
export interface Kept {
  save(): unknown
  load(state: unknown): void
}

export interface Registration {
  name?: string
  redirectUris: string[]
  key?: string
  /** Empty for a public client. */
  secret?: string
  /** PEM, for OAuth 1 RSA-SHA1. */
  publicKey?: string
  /** Settings that override the service's for this client. */
  settings?: Record<string, unknown>
}

/** `person` is a username; if absent, all people's tokens. Returns the number of affected tokens. */
export interface TokenControl {
  revoke(person?: string): number
  expire(person?: string): number
}

/** Changes a person's data, for tests of edits and deletions. */
export interface DataControl {
  add(person: string, kind: string, fields: Record<string, unknown>): Record<string, unknown>
  edit(person: string, kind: string, id: string, fields: Record<string, unknown>): Record<string, unknown>
  remove(person: string, kind: string, id: string): void
}

/** What a service's `build` returns. */
export interface ServiceParts {
  routes: Routes
  people: Person[]
  endpoints: () => Record<string, string>
  register: (registration: Registration) => { key: string; secret: string }
  /** The current settings. */
  settings(): object
  /** Rejects unknown names and invalid values. */
  configure(changes: Record<string, unknown>): void
  tokens: TokenControl
  data: DataControl
  /** The webhooks that the service has sent, where it sends any. */
  hooks?: WebhookControl
  /** What a restarted service must still know. Only the demo services have it. */
  kept?: Record<string, Kept>
  /** Lets time pass in the data: new items, some edits, a deletion. Only the demo services have it. */
  later?(span: { fromMs: number; untilMs: number }): void
}

export interface ServiceDefinition {
  name: string
  brand: Brand
  build(context: ServiceContext): ServiceParts
}
