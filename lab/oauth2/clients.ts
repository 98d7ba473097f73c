import { secret } from '../base/random.ts'
import type { Kept, Registration } from '../base/service-parts.ts'
import { applySettings, InvalidSetting } from '../base/settings.ts'
import { type OAuth2Settings, oauth2SettingRules, serviceWideSettings } from './settings.ts'

export interface Client {
  key: string
  secret: string
  name: string
  redirectUris: string[]
  /** The current service settings with this client's overrides. */
  settings(): OAuth2Settings
}

export interface Clients {
  /** Registering a key again changes its client, and ends none of its tokens. */
  register(registration: Registration): Client
  find(key: string | undefined): Client | undefined
  /** The clients without settings of their own, which only tests give. */
  kept: Kept
}

export function createClients(shared: OAuth2Settings): Clients {
  const clients = new Map<string, Client>()
  const register = (registration: Registration): Client => {
    for (const name of Object.keys(registration.settings ?? {}))
      if (serviceWideSettings.has(name))
        throw new InvalidSetting(`${name} applies to the whole service, not to one client`)
    const own = applySettings<Partial<OAuth2Settings>>({}, registration.settings ?? {}, oauth2SettingRules)
    const client: Client = {
      key: registration.key ?? `client-${secret(9)}`,
      secret: registration.secret ?? secret(),
      name: registration.name ?? 'An app',
      redirectUris: registration.redirectUris,
      settings: () => ({ ...shared, ...own }),
    }
    const known = clients.get(client.key)
    if (known !== undefined) return Object.assign(known, client)
    clients.set(client.key, client)
    return client
  }
  return {
    register,
    find: (key) => clients.get(key ?? ''),
    kept: {
      save: () =>
        [...clients.values()].map(({ key, secret: own, name, redirectUris }) => ({
          key,
          secret: own,
          name,
          redirectUris,
        })),
      load: (saved) => (saved as Registration[]).forEach(register),
    },
  }
}
