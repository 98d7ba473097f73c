import type { Brand } from '../base/page.ts'
import type { Person } from '../base/people.ts'
import { json } from '../base/reply.ts'
import type { LabRequest } from '../base/request.ts'
import type { Routes } from '../base/router.ts'
import type { Kept, Registration, ServiceContext, TokenControl } from '../base/service-parts.ts'
import { applySettings, InvalidSetting } from '../base/settings.ts'
import { createSignIn, type SignIn } from '../base/sign-in.ts'
import { accessTokenEndpoint } from './access-token.ts'
import { type AuthorizePage, authorizeEndpoint } from './authorize.ts'
import { createNonces } from './nonces.ts'
import { requestTokenEndpoint } from './request-token.ts'
import { type OAuth1Settings, oauth1Defaults, oauth1SettingRules } from './settings.ts'
import { createStores } from './stores.ts'
import { verify } from './verify.ts'

export interface OAuth1Options {
  brand: Brand
  people: Person[]
  settings?: Partial<OAuth1Settings>
  /** The first page is the default. */
  pages: AuthorizePage[]
  paths?: Partial<OAuth1Paths>
  /** Extra fields in the access token response. */
  tokenFields?: (person: Person) => Record<string, string>
  /** Shared with another authorization server of the same service. */
  signIn?: SignIn
}

interface OAuth1Paths {
  requestToken: string
  accessToken: string
  revoke: string
}

export interface OAuth1Caller {
  person: Person
  permissions: readonly string[]
  /** The key of the app that the token was issued to. */
  app: string
}

export interface OAuth1Server {
  routes: Routes
  settings: OAuth1Settings
  configure(changes: Record<string, unknown>): void
  register: (registration: Registration) => { key: string; secret: string }
  endpoints: () => Record<string, string>
  guard(request: LabRequest): OAuth1Caller
  tokens: TokenControl
  kept: Kept
}

/** A complete OAuth 1.0a server. A service passes brand, people, pages and settings, and mounts its routes. */
export function createOAuth1Server(context: ServiceContext, options: OAuth1Options): OAuth1Server {
  const { clock } = context
  const { brand, people } = options
  const settings: OAuth1Settings = { ...oauth1Defaults, ...options.settings }
  const paths: OAuth1Paths = {
    requestToken: '/oauth/request_token',
    accessToken: '/oauth/access_token',
    revoke: '/oauth/revoke',
    ...options.paths,
  }
  const stores = createStores(clock)
  const signIn = options.signIn ?? createSignIn({ ...context, brand, people })
  const parts = { brand, clock, settings, stores, signIn, nonces: createNonces(clock) }
  const fields = options.tokenFields ?? (() => ({}))
  const requestToken = (request: LabRequest) => requestTokenEndpoint(parts, request)
  const accessToken = (request: LabRequest) => accessTokenEndpoint(parts, request, fields)
  const routes: Routes = {
    ...signIn.routes,
    [`POST ${paths.requestToken}`]: requestToken,
    [`GET ${paths.requestToken}`]: requestToken,
    [`POST ${paths.accessToken}`]: accessToken,
    [`GET ${paths.accessToken}`]: accessToken,
    [`POST ${paths.revoke}`]: (request) => {
      const { token } = verify(parts, request, 'access')
      stores.removeAccessToken(token)
      return json(200, { revoked: true })
    },
  }
  for (const shown of options.pages) routes[`GET ${shown.path}`] = (request) => authorizeEndpoint(parts, shown, request)
  return {
    routes,
    settings,
    configure: (changes) => void applySettings(settings, changes, oauth1SettingRules),
    register(registration) {
      if (registration.settings !== undefined)
        throw new InvalidSetting('OAuth 1 settings apply to the whole service, not to one client')
      const { key, secret } = stores.register(registration)
      return { key, secret }
    },
    endpoints: () => ({
      request_token_url: `${context.url()}${paths.requestToken}`,
      authorize_url: `${context.url()}${options.pages[0]?.path}`,
      access_token_url: `${context.url()}${paths.accessToken}`,
      revoke_url: `${context.url()}${paths.revoke}`,
    }),
    guard(request) {
      const { token } = verify(parts, request, 'access')
      return { person: token.person, permissions: token.permissions, app: token.client.key }
    },
    tokens: stores.control,
    kept: stores.kept(people),
  }
}
