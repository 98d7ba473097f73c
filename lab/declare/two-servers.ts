import type { OAuth1Server } from '../oauth1/server.ts'
import { oauth1SettingRules } from '../oauth1/settings.ts'
import type { OAuth2Server } from '../oauth2/server.ts'
import type { Access } from './service.ts'

/** The two authorization servers of a service in which an app has one key for both. OAuth 1 tokens do not expire. */
export const twoServers = (
  oauth2: OAuth2Server,
  oauth1: OAuth1Server,
  onRegister?: (key: string, redirectUris: string[]) => void,
): Access => ({
  get settings() {
    return { ...oauth2.settings, ...oauth1.settings }
  },
  configure(changes) {
    for (const [name, value] of Object.entries(changes))
      (Object.hasOwn(oauth1SettingRules, name) ? oauth1 : oauth2).configure({ [name]: value })
  },
  register(registration) {
    const pair = oauth2.register(registration)
    const { settings: _, ...rest } = registration
    oauth1.register({ ...rest, ...pair })
    onRegister?.(pair.key, registration.redirectUris)
    return pair
  },
  tokens: {
    revoke: (person) => oauth2.tokens.revoke(person) + oauth1.tokens.revoke(person),
    expire: (person) => oauth2.tokens.expire(person),
  },
})
