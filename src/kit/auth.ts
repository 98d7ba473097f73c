import type { Self } from './self.ts'

/** How a service wants its own credential on each call: `name` is the header (default `Authorization`) or the parameter. */
export type TokenPlacement = { in: 'header'; scheme: string; name?: string } | { in: 'query'; name: string }

/**
 * How an app proves itself at the token endpoint; an app without a secret only names itself. `basic` encodes key and secret
 * first, as RFC 6749 2.3.1 says, `basic_raw` does not; `private_key_jwt` takes the secret as a private JWK.
 */
export type TokenAuth = 'post' | 'basic' | 'basic_raw' | 'query' | 'none' | 'private_key_jwt'

/** Extra parameters, each a name and a value. */
export type Parameters = Record<string, string>

/** What changes when the person's app asks for more (`flag=dm`) or for a new login (`force_login=true`). */
export interface Variation {
  /** Another page to send the person to. */
  authorizeUrl?: string
  parameters?: Parameters
  /** Asked for beside the scope that the app, its key or the default names. */
  scope?: string[]
}

/** Trading one token for a longer-lived one, or renewing it by itself, as services without refresh tokens do. */
export interface TokenExchange {
  url: string
  method: 'GET' | 'POST'
  /** `{key}`, `{secret}` and `{token}` stand for the app's key, its secret and the token that is traded, here and in `url`. */
  parameters: Parameters
  /** The app proves itself by HTTP Basic with its key and secret as they are. */
  basic?: boolean
  /** How a POST is written; a form unless said. */
  body?: 'form' | 'json'
  /** How long before its end a token is renewed, where an ended one cannot be renewed any more. */
  aheadS?: number
}

/** A question that only the app a token was issued to, or the service itself, can answer. */
export interface AppCheck extends TokenExchange {
  /** The key of the app that the token belongs to, from the service's answer. */
  read: (body: unknown) => string | undefined
}

/** Where people of one service live on different instances: how to find the instance of one person. */
export interface Home {
  /** Address of the person's public record. */
  document: (subject: string) => string
  /** The address of the instance that holds the person's data, from that record; undefined when it is somebody else's. */
  read: (document: unknown, subject: string) => string | undefined
  /** Path of the API on an instance. */
  apiPath: string
}

/** How to end a grant where RFC 7009 does not apply. */
export interface Revocation {
  method: 'POST' | 'DELETE' | 'GET'
  /** `bearer` carries the token as calls do; otherwise it is the parameter `token`, unless `parameters` place it. */
  tokenPlacement: 'form' | 'json' | 'query' | 'bearer'
  /** `{key}`, `{secret}`, `{token}` and `{proof}` (see `proof` of `OAuth2`) are filled in here and in `revokeUrl`. */
  parameters?: Parameters
  tokenAuth?: TokenAuth
}

/** Some fields are used by no connector that comes along: they are there for connectors of operators. */
export interface OAuth2 {
  kind: 'oauth2'
  authorizeUrl: string
  tokenUrl: string
  /** Where refreshing has an address of its own. */
  refreshUrl?: string
  /** RFC 7009, unless `revoke` says otherwise. */
  revokeUrl?: string
  revoke?: Revocation
  scope: {
    default: string[]
    separator: string
    name: string
    /** Sent at the token endpoint too. */
    atToken: boolean
    /** Name of what was granted in the token answer, where it is another one. */
    granted?: string
  }
  tokenAuth: TokenAuth
  tokenMethod: 'POST' | 'GET'
  /** The body of the token request; a few services want JSON. */
  tokenBody: 'form' | 'json'
  /** PKCE S256. On unless the service refuses it. */
  pkce: boolean
  /** Names that differ from RFC 6749, e.g. `client_id: 'client_key'`. */
  names: Partial<
    Record<'client_id' | 'client_secret' | 'code' | 'redirect_uri' | 'refresh_token' | 'access_token', string>
  >
  /** Parameters that every request of a kind carries. */
  parameters: { authorize?: Parameters; token?: Parameters; refresh?: Parameters }
  /** Where the token stands inside the answer, as keys from the top. */
  tokenPath: string[]
  /** Name of the field beside the token that says whose it is. */
  subject: string
  /** For services that leave `expires_in` out, or lie. */
  expiresInS?: number
  /** What error codes of the token endpoint mean that RFC 6749 does not know. */
  errors: Record<string, 'retry' | 'reauthorize' | 'stop'>
  /** Tells which app a token was issued to, so that a token of another app can be refused. */
  verifyApp?: AppCheck
  longToken?: TokenExchange
  /** Renews the access token by itself, for services without refresh tokens. */
  renew?: TokenExchange
  /** RFC 9207: the issuer that must come back with the code. */
  issuer?: string
  /** RFC 9126: parameters go to this address first, and only a reference to the browser. */
  parUrl?: string
  /** RFC 9449. */
  dpop: boolean
  tokenPlacement: TokenPlacement
  /** Parameter of each call that proves that the caller holds the app's secret: HMAC-SHA256 of the token with it, in hex. */
  proof?: string
  flags: Record<string, Variation>
  forceLogin?: Variation
  /** Finds the addresses of the instance that `base_url` names (RFC 8414; RFC 9728 first where `resource` is set). */
  discover?: { resource: boolean }
  /** Calls about a person go to that person's own instance. */
  home?: Home
}

export interface OAuth1 {
  kind: 'oauth1'
  requestTokenUrl: string
  authorizeUrl: string
  accessTokenUrl: string
  signature: 'HMAC-SHA1' | 'HMAC-SHA256' | 'RSA-SHA1' | 'PLAINTEXT'
  transmit: 'header' | 'query' | 'body'
  realm?: string
  /** Name of the scope parameter of the request-token call, where the service has one. */
  scopeName?: string
  scope: { default: string[]; separator: string }
  revokeUrl?: string
  flags: Record<string, Variation>
  forceLogin?: Variation
}

/** The person types a key or a name and password that the service gave out. */
export interface ApiKey {
  kind: 'api_key'
  tokenPlacement: TokenPlacement
}

export interface Basic {
  kind: 'basic'
}

export type Auth = OAuth2 | OAuth1 | ApiKey | Basic

/**
 * Does the service say whether a token was given to this app? OAuth 1 checks it with every call, by the signature. Elsewhere the
 * service has to have an address for it; without one a token that another app got would be taken as well.
 */
export function verifiesApp(auth: Auth): boolean {
  return auth.kind === 'oauth1' || (auth.kind === 'oauth2' && auth.verifyApp !== undefined)
}

type OAuth2Input = Partial<Omit<OAuth2, 'kind' | 'scope'>> & {
  scope?: Partial<OAuth2['scope']>
}

/** OAuth 2 with what RFC 6749 and RFC 9700 advise, unless the service needs something else. */
export function oauth2(
  input: OAuth2Input & ({ authorizeUrl: string; tokenUrl: string } | { discover: { resource: boolean } }),
): OAuth2 {
  return {
    authorizeUrl: '',
    tokenUrl: '',
    tokenAuth: 'post',
    tokenMethod: 'POST',
    tokenBody: 'form',
    pkce: true,
    names: {},
    parameters: {},
    tokenPath: [],
    subject: 'sub',
    errors: {},
    dpop: false,
    tokenPlacement: { in: 'header', scheme: 'Bearer' },
    flags: {},
    ...input,
    kind: 'oauth2',
    scope: { default: [], separator: ' ', name: 'scope', atToken: false, ...input.scope },
  }
}

type OAuth1Input = Partial<Omit<OAuth1, 'kind' | 'scope'>> &
  Pick<OAuth1, 'requestTokenUrl' | 'authorizeUrl' | 'accessTokenUrl'> & { scope?: Partial<OAuth1['scope']> }

export function oauth1(input: OAuth1Input): OAuth1 {
  return {
    signature: 'HMAC-SHA1',
    transmit: 'header',
    flags: {},
    ...input,
    kind: 'oauth1',
    scope: { default: [], separator: ',', ...input.scope },
  }
}

export function apiKey(tokenPlacement: TokenPlacement): ApiKey {
  return { kind: 'api_key', tokenPlacement }
}

export function basic(): Basic {
  return { kind: 'basic' }
}

/** What a service gave us for one person. Sealed at rest. */
export interface Credential {
  token: string
  tokenSecret?: string
  refreshToken?: string
  expiresAt?: number
  scope?: string
  /** Whose it is, where the service says so beside the token. */
  subject?: string
  /** Private JWK of a DPoP-bound token. */
  dpopKey?: JsonObject
  /** Addresses that belong to this grant alone, where people live on different instances. */
  instance?: Record<string, string>
  /** The previous refresh token, in case the answer to a rotation was lost. */
  previousRefreshToken?: string
}

export type JsonObject = { [key: string]: unknown }

/** What the sign-in brought: whose credential it is. */
export interface SignedIn {
  credential: Credential
  self: Self
  /** The service's own record of the person, untouched. */
  raw: string
}
