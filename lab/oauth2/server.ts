import type { Brand } from '../base/page.ts'
import type { Person } from '../base/people.ts'
import type { LabRequest } from '../base/request.ts'
import type { Routes } from '../base/router.ts'
import type { Kept, Registration, ServiceContext, TokenControl } from '../base/service-parts.ts'
import { applySettings } from '../base/settings.ts'
import { createSignIn, type SignIn } from '../base/sign-in.ts'
import { authorize } from './authorize.ts'
import { bearerGuard, type Caller } from './bearer.ts'
import { createClients } from './clients.ts'
import { createGrants, type Token } from './grants.ts'
import { keptGrants } from './kept-grants.ts'
import { metadataEndpoint } from './metadata.ts'
import { parEndpoint } from './par.ts'
import { createPushedRequests } from './pushed-requests.ts'
import { registerEndpoint } from './registration.ts'
import { introspectEndpoint, revokeEndpoint } from './revoke.ts'
import type { OAuth2Parts, OAuth2Paths } from './server-parts.ts'
import { type OAuth2Settings, oauth2Defaults, oauth2SettingRules } from './settings.ts'
import { tokenEndpoint } from './token.ts'

export interface OAuth2Options {
  brand: Brand
  people: Person[]
  settings?: Partial<OAuth2Settings>
  paths?: Partial<OAuth2Paths>
  /** Additional paths for token exchanges (long-lived exchange, renewal). */
  exchangePaths?: string[]
  tokenFields?: (person: Person) => Record<string, string | number>
  /** Shared with another authorization server of the same service. */
  signIn?: SignIn
}

export interface OAuth2Server {
  routes: Routes
  settings: OAuth2Settings
  configure(changes: Record<string, unknown>): void
  register: (registration: Registration) => { key: string; secret: string }
  endpoints: () => Record<string, string>
  guard(request: LabRequest, scope?: string): Caller
  /** Ends every grant that the person of this token gave to its client; false if the token is not valid. Default: access tokens. */
  deauthorize(token: string, kinds?: readonly Token['kind'][]): boolean
  /** Ends every grant that this person gave to the client with this key. */
  endAll: (key: string, username: string) => void
  tokens: TokenControl
  kept: Record<string, Kept>
}

/** A complete authorization server. A service passes brand, people and settings, and mounts its routes. */
export function createOAuth2Server(context: ServiceContext, options: OAuth2Options): OAuth2Server {
  const { clock } = context
  const settings: OAuth2Settings = { ...oauth2Defaults, ...options.settings }
  const paths: OAuth2Paths = {
    authorize: '/oauth/authorize',
    token: '/oauth/token',
    revoke: '/oauth/revoke',
    introspect: '/oauth/introspect',
    par: '/oauth/par',
    register: '/oauth/register',
    ...options.paths,
  }
  const grants = createGrants(clock)
  const clients = createClients(settings)
  const parts: OAuth2Parts = {
    brand: options.brand,
    clock,
    url: context.url,
    settings,
    paths,
    grants,
    clients,
    pushed: createPushedRequests(clock),
    signIn: options.signIn ?? createSignIn({ ...context, brand: options.brand, people: options.people }),
    ...(options.tokenFields ? { tokenFields: options.tokenFields } : {}),
  }
  const token = (request: LabRequest) => tokenEndpoint(parts, request)
  const routes: Routes = {
    ...parts.signIn.routes,
    [`GET ${paths.authorize}`]: (request) => authorize(parts, request),
    [`POST ${paths.token}`]: token,
    [`GET ${paths.token}`]: token,
    [`POST ${paths.revoke}`]: (request) => revokeEndpoint(parts, request),
    [`POST ${paths.introspect}`]: (request) => introspectEndpoint(parts, request),
    [`POST ${paths.par}`]: (request) => parEndpoint(parts, request),
    [`POST ${paths.register}`]: (request) => registerEndpoint(parts, request),
    'GET /.well-known/oauth-authorization-server': () => metadataEndpoint(parts),
  }
  for (const path of options.exchangePaths ?? []) routes[`GET ${path}`] = token
  return {
    routes,
    settings,
    configure: (changes) => void applySettings(settings, changes, oauth2SettingRules),
    register: (registration) => {
      const { key, secret } = parts.clients.register(registration)
      return { key, secret }
    },
    endpoints: () => ({
      authorize_url: `${context.url()}${paths.authorize}`,
      token_url: `${context.url()}${paths.token}`,
      revoke_url: `${context.url()}${paths.revoke}`,
      metadata_url: `${context.url()}/.well-known/oauth-authorization-server`,
    }),
    guard: (request, scope) => bearerGuard(parts, request, scope),
    deauthorize: (value, kinds = ['access']) => {
      const found = grants.token(value)
      if (!found || !kinds.includes(found.kind) || !grants.isActive(found)) return false
      grants.endAll(found.grant.client.key, found.grant.person.username)
      return true
    },
    endAll: grants.endAll,
    tokens: grants.control,
    kept: { clients: clients.kept, grants: keptGrants(grants, clients, options.people, clock) },
  }
}
