import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { DEMO_SERVICE_NAMES } from '#model/sync/service-order.ts'

export type DemoServiceName = (typeof DEMO_SERVICE_NAMES)[number]

const ABOUT: Record<DemoServiceName, { title: string; summary: string }> = {
  'demo-social': { title: 'Demo Social', summary: 'photos, posts, check-ins, friends and their posts' },
  'demo-micro': { title: 'Demo Micro', summary: 'short statuses, a timeline, favourites' },
  'demo-health': { title: 'Demo Health', summary: 'workouts, heart rates, weight and sleep' },
}

/** The simulated services of the demo, in the order in which people see them. */
export const DEMO_SERVICES = DEMO_SERVICE_NAMES.map((service) => ({ service, ...ABOUT[service] }))

export const DEMO_ACTIONS = ['week_later', 'down', 'up', 'revoke', 'throttle', 'unthrottle'] as const
export type DemoAction = (typeof DEMO_ACTIONS)[number]

/** A demo service as its controls show it. */
export interface DemoServiceState {
  service: string
  down: boolean
  throttled: boolean
  /** The time at the service, in milliseconds: “a week later” moves it. */
  now: number
}

/** The keys of an app at one demo service, and where browsers reach it. */
export interface DemoServiceKey {
  service: string
  url: string
  key: string
  secret: string
}

/** The redirect address of an app at a demo service, which browsers reach at `url`. */
export type RedirectUriOf = (at: { service: string; url: string }) => string

/** A request of a browser for a page or a picture of a demo service. */
export interface ForwardedRequest {
  method: string
  /** Path and query below the service. */
  target: string
  headers: Record<string, string>
  body: Buffer | undefined
}

export interface ForwardedResponse {
  status: number
  headers: IncomingHttpHeaders
  body: Readable
}

/** The demo services that run beside this server. Each method throws `DemoServicesUnavailable` when they do not respond. */
export interface DemoServices {
  states(): Promise<DemoServiceState[]>
  act(action: DemoAction, service: string | undefined): Promise<DemoServiceState[]>
  /** Registers an app at every demo service. A repeated call returns the same keys, and replaces the redirect addresses. */
  register(app: { id: string; name: string }, redirectUriOf: RedirectUriOf): Promise<DemoServiceKey[]>
  forward(service: DemoServiceName, request: ForwardedRequest): Promise<ForwardedResponse>
}

export class DemoServicesUnavailable extends Error {
  override name = 'DemoServicesUnavailable'
}

export const isDemoService = (name: string): name is DemoServiceName =>
  DEMO_SERVICES.some(({ service }) => service === name)

/**
 * The host at which this server calls a demo service. No name server knows it: the egress guard connects it to the service's socket,
 * so that calls depend neither on a port nor on reaching the base address from here.
 */
export const demoHost = (service: DemoServiceName): string => `${service}.test`
