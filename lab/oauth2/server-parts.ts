import type { ServiceClock } from '../base/clock.ts'
import type { Brand } from '../base/page.ts'
import type { Person } from '../base/people.ts'
import type { SignIn } from '../base/sign-in.ts'
import type { Clients } from './clients.ts'
import type { Grants } from './grants.ts'
import type { PushedRequests } from './pushed-requests.ts'
import type { OAuth2Settings } from './settings.ts'

export interface OAuth2Paths {
  authorize: string
  token: string
  revoke: string
  introspect: string
  par: string
  register: string
}

/** The shared state of one authorization server. */
export interface OAuth2Parts {
  brand: Brand
  clock: ServiceClock
  url: () => string
  settings: OAuth2Settings
  paths: OAuth2Paths
  clients: Clients
  grants: Grants
  pushed: PushedRequests
  signIn: SignIn
  /** Extra fields in the token response, for example the person's native id. */
  tokenFields?: (person: Person) => Record<string, string | number>
}
