import type { FreshCredential } from '#access/fresh-credential.ts'
import type { Connector } from '#kit/connector.ts'
import type { Profile } from '#model/profile.ts'
import type { ServiceKey } from '#upstream/service-key.ts'

/** Whose data is fetched, how, and with which keys. */
export interface Target {
  profile: Profile
  connector: Connector
  key: ServiceKey
  /** The credential as it was last looked up, for the next pages of the same turn. */
  held: { fresh: FreshCredential | undefined; untilMs: number }
}
