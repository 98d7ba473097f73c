// The key with which an app calls a service, the only place that decides whether it needs one.

import { typedFieldsOf } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { Keyring } from '#platform/crypto/sealing.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { findServiceKey, type OpenServiceKey } from '#store/apps/service-keys.ts'

interface KeyDeps {
  database: Queries
  keyring: Keyring
}

/** The stored key of the app, where the caller has read it already. */
export interface KnownKey {
  stored: OpenServiceKey | undefined
}

/** Undefined when the app has no key and the service requires one. An app may still set one, e.g. to override an address. */
export async function keyFor(
  { database, keyring }: KeyDeps,
  appId: string,
  connector: Connector | undefined,
  known?: KnownKey,
): Promise<OpenServiceKey | undefined> {
  if (connector === undefined) return undefined
  const { stored } = known ?? { stored: await findServiceKey(database, keyring, appId, connector.service) }
  return stored ?? (typedFieldsOf(connector.auth) === undefined ? undefined : noKey(connector))
}

function noKey({ service }: Connector): OpenServiceKey {
  return { service, key: '', secret: '', scope: undefined, overrides: {}, updatedAt: 0 }
}
