import { type Answers, hostFieldOf } from '#kit/auth/ask.ts'
import type { Credential } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { type Keyring, SealError } from '#platform/crypto/sealing.ts'
import type { Database } from '#platform/postgres/database.ts'
import { deleteRegistration, findRegistration } from '#store/apps/registrations.ts'
import { findCredential, type KnownCredential } from '#store/identity/credentials.ts'
import { fillConnector } from '#upstream/fill-connector.ts'
import type { UpstreamError } from '#upstream/request/errors.ts'
import type { ServiceKey } from '#upstream/request/service-key.ts'
import { type RegisteredKey, registrationKeyOf, registrationOf } from './register-app.ts'
import { type KnownKey, keyFor } from './service-key.ts'

interface KeyDeps {
  database: Database
  keyring: Keyring
}

/** The connector on one instance, and the app's key there. */
export interface ServiceAccess {
  connector: Connector
  key: ServiceKey
  /** The key was registered by Tributary. */
  isRegistered: boolean
}

/** In `credential.instance`: the app's key there was registered, and this is it, if it is not stored. */
const REGISTERED = 'registered_as'

/** Marks what a sign-in with a registered key stores: it needs that key for ever, also if the app sets one of its own. */
export function withRegisteredKey(instance: Answers, { key, registration }: RegisteredKey): Answers {
  return { ...instance, [REGISTERED]: key, registration }
}

/** The key and the addresses of a sign-in or credential. Undefined if the app has no key there. */
export async function findServiceAccess(
  deps: KeyDeps,
  appId: string,
  connector: Connector,
  instance: Answers | undefined,
  known?: KnownKey,
): Promise<ServiceAccess | undefined> {
  const registered = instance?.[REGISTERED]
  if (instance !== undefined && registered !== undefined) {
    const key = registrationKeyOf(appId, connector, instance)
    const found = await findRegistration(deps.database, deps.keyring, key)
    // A key that was replaced is no longer valid for this credential; the service decides about it.
    const secret = found?.key === registered ? found.secret : ''
    if (registrationOf(connector) === undefined) return undefined
    const registeredAt = { key: registered, secret, overrides: {} }
    return { connector: fillConnector(connector, instance), key: registeredAt, isRegistered: true }
  }
  const key = await keyFor(deps, appId, connector, known)
  const filled = key && fillConnector(connector, { ...answersIn(connector, key), ...instance })
  return filled && { connector: filled, key, isRegistered: false }
}

/** The same for a profile. Only where people have instances is its credential read. */
export async function serviceAccessOf(
  deps: KeyDeps,
  profile: Pick<Profile, 'shard' | 'id' | 'appId'>,
  connector: Connector,
  known?: KnownKey,
  knownCredential?: KnownCredential,
): Promise<ServiceAccess | undefined> {
  const hasInstances = connector.ask !== undefined || registrationOf(connector) !== undefined
  const instance = hasInstances ? await storedInstance(deps, profile, knownCredential) : undefined
  return findServiceAccess(deps, profile.appId, connector, instance, known)
}

/** What is known about the instance of a profile; undefined if its credential is gone or damaged. */
export async function storedInstance(
  { database, keyring }: KeyDeps,
  { shard, id }: Pick<Profile, 'shard' | 'id'>,
  known?: KnownCredential,
): Promise<Answers | undefined> {
  try {
    const stored = known === undefined ? await findCredential(database, keyring, { shard, profileId: id }) : known()
    return stored && (JSON.parse(stored.value) as Credential).instance
  } catch (error) {
    if (error instanceof SealError) return undefined
    throw error
  }
}

/** The answers that an app's own key implies: its `base_url` names the instance. */
export function answersIn(connector: Connector, { overrides }: ServiceKey): Answers {
  const field = hostFieldOf(connector.ask)
  const host = URL.parse(overrides['base_url'] ?? '')?.host
  return field === undefined || host === undefined ? {} : { [field]: host }
}

/** Forgets a registered key that the service refuses, so that the next sign-in registers again. */
export async function forgetRefusedKey(
  { database, keyring }: KeyDeps,
  appId: string,
  connector: Connector,
  instance: Answers | undefined,
  error: UpstreamError,
): Promise<boolean> {
  const registered = instance?.[REGISTERED]
  if (error.reason !== 'keys_refused' || instance === undefined || registered === undefined) return false
  await deleteRegistration(database, keyring, registrationKeyOf(appId, connector, instance), registered)
  return true
}
