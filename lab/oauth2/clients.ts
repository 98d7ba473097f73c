import { secret } from '../base/random.ts'
import type { Registration } from '../base/service-parts.ts'
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
  register(registration: Registration): Client
  find(key: string | undefined): Client | undefined
}

export function createClients(shared: OAuth2Settings): Clients {
  const clients = new Map<string, Client>()
  return {
    register(registration) {
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
      clients.set(client.key, client)
      return client
    },
    find: (key) => clients.get(key ?? ''),
  }
}
