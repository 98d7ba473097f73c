import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { giveIssuer, type ResponseStep } from './oidc-issuer-parameter.ts'
import { loginOverHttp, type OidcLogin } from './oidc-login.ts'
import { loadCorePackage, packagesMissing } from './packages.ts'

export interface OidcClient {
  client_id: string
  client_secret?: string
  redirect_uris: string[]
  token_endpoint_auth_method?: 'client_secret_basic' | 'client_secret_post' | 'none'
  [metadata: string]: unknown
}

export interface OidcProviderOptions {
  /** Or as they depend on the server's address. */
  redirectUris: string[] | ((issuer: string) => string[])
  /**
   * Further clients; the one returned as `clientId` always exists and authenticates with HTTP Basic or in the body,
   * after `authMethod`.
   */
  clients?: OidcClient[]
  authMethod?: 'client_secret_basic' | 'client_secret_post'
  accessTokenTtlS?: number
  rotateRefresh?: boolean
  requirePkce?: boolean
  /** `iss` in the authorization response (RFC 9207): true is the server's own, false none, a text that text. */
  iss?: boolean | string
}

export interface RunningOidcProvider {
  issuer: string
  authorizeUrl: string
  tokenUrl: string
  revokeUrl: string
  userinfoUrl: string
  jwksUrl: string
  clientId: string
  clientSecret: string
  /** Signs in and consents (or denies) on the server's pages; returns the address to which the person is redirected. */
  login(authorizeUrl: string, person?: OidcLogin): Promise<string>
  close(): Promise<void>
}

interface Provider {
  use(step: ResponseStep): void
  callback(): RequestListener
}

interface OidcProviderPackage {
  default: new (issuer: string, configuration: Record<string, unknown>) => Provider
}

export const oidcProviderMissing = (): Promise<string | false> => packagesMissing('core')

/**
 * A certified OpenID Connect server on loopback. Refresh tokens come without `offline_access`; any login name
 * exists.
 */
export async function startOidcProvider(options: OidcProviderOptions): Promise<RunningOidcProvider> {
  const { default: Provider } = await loadCorePackage<OidcProviderPackage>('oidc-provider')
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { redirectUris } = options
  const clientId = 'tributary'
  const clientSecret = randomBytes(24).toString('base64url')
  const own: OidcClient = {
    client_id: clientId,
    client_secret: clientSecret,
    redirect_uris: typeof redirectUris === 'function' ? redirectUris(issuer) : redirectUris,
    token_endpoint_auth_method: options.authMethod ?? 'client_secret_basic',
  }
  const provider = quietly(() => new Provider(issuer, configure(options, own)))
  if (options.iss !== undefined && options.iss !== true) provider.use(giveIssuer(issuer, options.iss))
  server.on('request', provider.callback())

  return {
    issuer,
    authorizeUrl: `${issuer}/auth`,
    tokenUrl: `${issuer}/token`,
    revokeUrl: `${issuer}/token/revocation`,
    userinfoUrl: `${issuer}/me`,
    jwksUrl: `${issuer}/jwks`,
    clientId,
    clientSecret,
    login: (url, person = {}) => loginOverHttp(issuer, url, person),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function configure(options: OidcProviderOptions, own: OidcClient): Record<string, unknown> {
  const { accessTokenTtlS = 3600, rotateRefresh = false, requirePkce = true } = options
  const clients = [own, ...(options.clients ?? [])].map((client) => ({
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    ...client,
  }))
  return {
    clients,
    claims: { openid: ['sub'], profile: ['name', 'picture'], email: ['email', 'email_verified'] },
    // By default the server accepts tokens for some seconds after they expired.
    clockTolerance: 0,
    conformIdTokenClaims: false,
    cookies: { keys: [randomBytes(16).toString('hex')] },
    features: {
      devInteractions: { enabled: true },
      revocation: { enabled: true, allowedPolicy: () => true },
      introspection: { enabled: true, allowedPolicy: () => true },
    },
    findAccount: (_context: unknown, login: string) => ({ accountId: login, claims: () => claimsOf(login) }),
    issueRefreshToken: () => true,
    jwks: { keys: [signingKey()] },
    pkce: { required: () => requirePkce },
    renderError: (context: { type: string; body: string }, out: object) => {
      context.type = 'json'
      context.body = JSON.stringify(out)
    },
    rotateRefreshToken: rotateRefresh,
    ttl: {
      AccessToken: accessTokenTtlS,
      AuthorizationCode: 60,
      RefreshToken: 86_400,
      IdToken: 3600,
      Interaction: 600,
      Session: 600,
      Grant: 86_400,
    },
  }
}

/** The claims of a person who signs in under this name. */
export function claimsOf(login: string): Record<string, string | boolean> {
  return {
    sub: login,
    name: `${login.charAt(0).toUpperCase()}${login.slice(1)} Example`,
    email: `${login}@people.example`,
    email_verified: true,
    picture: `https://people.example/${login}.png`,
  }
}

let jwk: object | undefined
function signingKey(): object {
  jwk ??= {
    ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
    use: 'sig',
    kid: 'test',
  }
  return jwk
}

// The server warns when it is constructed that it is configured for development, which is intended here.
function quietly<Made>(make: () => Made): Made {
  const { warn, info } = console
  console.warn = console.info = () => {}
  try {
    return make()
  } finally {
    Object.assign(console, { warn, info })
  }
}
