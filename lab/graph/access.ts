import type { Brand } from '../base/page.ts'
import type { Person } from '../base/people.ts'
import type { Registration, ServiceContext } from '../base/service-parts.ts'
import { createOAuth2Server, type OAuth2Options } from '../oauth2/server.ts'
import { createAppGrants } from './app-grants.ts'
import { createGuard } from './caller.ts'
import type { InnerTokenResponse } from './inner-token.ts'
import { createLoginWindow, type LoginWindowOptions } from './login-window.ts'

interface GraphAccessOptions {
  brand: Brand
  people: Person[]
  /** The vendor's settings of the standard server. */
  server: Pick<OAuth2Options, 'settings' | 'exchangePaths'> & { paths: { authorize: string; token: string } }
  window: Omit<LoginWindowOptions, 'brand' | 'oauth' | 'authorizePath'>
  settings: { requireProof: boolean }
}

export type GraphAccess = ReturnType<typeof createGraphAccess>

/** What a Meta service lets in: its apps with their secrets, its login window, its grants and tokens. */
export function createGraphAccess(context: ServiceContext, options: GraphAccessOptions) {
  const { brand, people, settings } = options
  const oauth = createOAuth2Server(context, {
    ...options.server,
    brand,
    people,
    tokenFields: (person) => ({ user_id: person.id }),
  })
  /** App secret by app id. */
  const apps = new Map<string, string>()
  const grants = createAppGrants(context.clock)
  const authorizePath = options.server.paths.authorize
  return {
    oauth,
    apps,
    grants,
    window: createLoginWindow({ ...options.window, brand, oauth, authorizePath }),
    guard: createGuard({ grants, apps, people, clock: context.clock, settings }),
    settings: oauth.settings,
    configure: (changes: Record<string, unknown>) => oauth.configure(changes),
    tokens: grants.control(oauth.tokens),
    register(registration: Registration) {
      const app = oauth.register(registration)
      apps.set(app.key, app.secret)
      return app
    },
    /** Adds an issued token, and its permissions to the grant of the app and person. */
    remember(
      inner: InnerTokenResponse,
      clientKey: string,
      how: { requested: readonly string[]; granted: readonly string[]; longLived: boolean },
    ): void {
      const username = people.find(({ id }) => id === inner.user_id)?.username ?? ''
      const grant = grants.grant(clientKey, username, how.requested, how.granted)
      grants.addToken({ value: inner.access_token, grant, ttlSeconds: inner.expires_in, longLived: how.longLived })
    },
  }
}
