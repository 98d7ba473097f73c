import type { Credential } from './auth.ts'

/**
 * A running imitation of a service, for `tributary connector check`. The file `NAME.simulator.ts` beside `NAME.ts` exports a function
 * as its default that starts one.
 */
export interface Simulator {
  /** Replaces the addresses of the service, as `base_url` of an app's keys does. */
  url: string
  /** Of the person whose data it has. */
  credential: Credential
  /** The app's key for the service, where calls are signed with it. */
  key?: { key: string; secret: string }
  close: () => Promise<void>
}

export type StartSimulator = () => Promise<Simulator>
