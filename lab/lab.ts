import { type LabClock, movableClock } from './base/clock.ts'
import { type LabService, startService } from './base/service.ts'
import type { ServiceDefinition } from './base/service-parts.ts'
import { demoHealth } from './services/demo-health/service.ts'
import { demoMicro } from './services/demo-micro/service.ts'
import { demoSocial } from './services/demo-social/service.ts'
import { dropbox } from './services/dropbox/service.ts'
import { facebook } from './services/facebook/service.ts'
import { flickr } from './services/flickr/service.ts'
import { foursquare } from './services/foursquare/service.ts'
import { github } from './services/github/service.ts'
import { google } from './services/google/service.ts'
import { instagram } from './services/instagram/service.ts'
import { mastodon } from './services/mastodon/service.ts'
import { oura } from './services/oura/service.ts'
import { slack } from './services/slack/service.ts'
import { spotify } from './services/spotify/service.ts'
import { strava } from './services/strava/service.ts'
import { tumblr } from './services/tumblr/service.ts'
import { twitch } from './services/twitch/service.ts'
import { withings } from './services/withings/service.ts'
import { x } from './services/x/service.ts'

const demos = { 'demo-social': demoSocial, 'demo-micro': demoMicro, 'demo-health': demoHealth }

/** Simulations of real vendors. They start only when named. */
const vendors = {
  facebook,
  flickr,
  foursquare,
  instagram,
  github,
  slack,
  google,
  strava,
  spotify,
  mastodon,
  tumblr,
  x,
  dropbox,
  twitch,
  withings,
  oura,
}

const definitions = { ...demos, ...vendors }

export type ServiceName = keyof typeof definitions
/** Every service that can be started. */
export const serviceNames = Object.keys(definitions) as ServiceName[]
type DemoName = keyof typeof demos

const demoNames = Object.keys(demos) as DemoName[]

export interface LabOptions<Name extends string> {
  /** The demo services, if not given. */
  services?: readonly Name[]
  host?: string
  /** One port per service. */
  ports?: Partial<Record<Name, number>>
  /** The first of consecutive ports. If absent, the system picks free ports. */
  basePort?: number
  clock?: LabClock
  seed?: number | string
  maxActivity?: number | undefined
}

export interface Lab<Name extends string = DemoName> {
  clock: LabClock
  services: Record<Name, LabService>
  close: () => Promise<void>
}

/** Starts simulated services, each on its own port. */
export async function startLab<Name extends ServiceName = DemoName>(
  options: LabOptions<Name> = {},
): Promise<Lab<Name>> {
  const names = options.services ?? (demoNames as readonly ServiceName[] as readonly Name[])
  const clock = options.clock ?? movableClock()
  const started: [Name, LabService][] = []
  const close = async () => {
    await Promise.all(started.map(([, service]) => service.close()))
  }
  try {
    for (const [at, name] of names.entries()) {
      const definition: ServiceDefinition = definitions[name]
      const port = options.ports?.[name] ?? (options.basePort ? options.basePort + at : 0)
      const host = options.host ?? '127.0.0.1'
      const { seed = 1, maxActivity } = options
      started.push([name, await startService(definition, { clock, seed, maxActivity, listen: { host, port } })])
    }
  } catch (error) {
    await close()
    throw error
  }
  return { clock, services: Object.fromEntries(started) as Record<Name, LabService>, close }
}
