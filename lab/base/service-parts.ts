import type { ServiceClock } from './clock.ts'
import type { Brand } from './page.ts'
import type { Person } from './people.ts'
import type { Random } from './random.ts'
import type { Routes } from './router.ts'

/** What a service is built with. */
export interface ServiceContext {
  name: string
  clock: ServiceClock
  random: Random
  /** The service's own address, without a trailing slash. */
  url: () => string
}

export interface Registration {
  name?: string
  redirectUris: string[]
  key?: string
  /** Empty for a public client. */
  secret?: string
  /** PEM, for OAuth 1 RSA-SHA1. */
  publicKey?: string
  /** Knobs that differ from the service's for this client alone. */
  settings?: Record<string, unknown>
}

/** `person` is a username; without it, everybody's. Each answers how many it touched. */
export interface TokenControl {
  revoke(person?: string): number
  expire(person?: string): number
}

/** Changes to a person's data, so that tests can watch edits and deletions arrive. */
export interface DataControl {
  add(person: string, kind: string, fields: Record<string, unknown>): Record<string, unknown>
  edit(person: string, kind: string, id: string, fields: Record<string, unknown>): Record<string, unknown>
  remove(person: string, kind: string, id: string): void
}

/** What a service's code gives to the base. */
export interface ServiceParts {
  routes: Routes
  people: Person[]
  endpoints: () => Record<string, string>
  register: (registration: Registration) => { key: string; secret: string }
  /** The knobs as they stand. */
  settings(): object
  /** Refuses names and values that do not exist. */
  configure(changes: Record<string, unknown>): void
  tokens: TokenControl
  data: DataControl
}

export interface ServiceDefinition {
  name: string
  brand: Brand
  build(context: ServiceContext): ServiceParts
}
