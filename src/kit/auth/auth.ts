import type { Facts, Tenants } from '../read/facts.ts'
import type { FileUpload } from './file.ts'
import type { Self } from './self.ts'
import type { AppPassword, NoAuth, Typed, TypedField, TypedFields, TypedValues } from './typed.ts'

/**
 * Where a call carries the credential: in a header (`name` defaults to `Authorization`, `scheme` precedes the token) or in
 * the query parameter `name`.
 */
export type TokenPlacement = { in: 'header'; scheme: string; name?: string } | { in: 'query'; name: string }

/**
 * How an app authenticates at the token endpoint; an app without a secret sends its key only. `basic` form-encodes key and
 * secret first, as RFC 6749 2.3.1 requires, `basic_raw` does not; `secret_basic` sends the secret alone, as the user name of HTTP Basic;
 * `private_key_jwt` takes the secret as a private JWK.
 */
export type TokenAuth =
  | 'post'
  | 'basic'
  | 'basic_raw'
  | 'secret_basic'
  | 'query'
  | 'none'
  | 'private_key_jwt'
  | 'signed_nonce'

/**
 * For `signed_nonce`: the app fetches a nonce and signs it instead of sending its secret. The signature is HMAC-SHA256 in hex of the
 * values of the signed parameters, sorted by name and separated by commas; parameters that a request lacks are not signed.
 */
export interface SignedNonce {
  /** Where a POST returns a nonce. It is signed in the same way, with the current time in seconds as `timestamp`. */
  url: string
  parameters: Parameters
  /** Names of the parameters that are signed, besides `nonce` or `timestamp`. */
  signs: string[]
  /** Path of the nonce in the response: `body.nonce`. */
  nonce: string
}

/** How to verify the ID token of a token response (OpenID Connect): signature, issuer, audience, nonce and expiry. */
export interface IdToken {
  /** Default: the issuer that was discovered. */
  issuer?: string
  /** Address of the issuer's public keys. Default: the one that was discovered. */
  jwksUrl?: string
}

/** Additional request parameters by name. */
export type Parameters = Record<string, string>

/** Changes to a sign-in when the app requests more access (`flag=dm`) or a new login (`force_login=true`). */
export interface Variation {
  /** Replaces the connector's `authorizeUrl`. */
  authorizeUrl?: string
  parameters?: Parameters
  /** What it gives in addition to the scope of the app, its key or the default. At OAuth 1 only the flags may say what is given. */
  scope?: string[]
}

/** Exchanges a token for a longer-lived one, or renews it; for services without refresh tokens. */
export interface TokenExchange {
  url: string
  method: 'GET' | 'POST'
  /** `{key}`, `{secret}` and `{token}` are replaced by the app's key, its secret and the current token, here and in `url`. */
  parameters: Parameters
  /** Headers with the same placeholders, for a call that carries the token there. */
  headers?: Parameters
  /** Send the app's key and secret by HTTP Basic, without encoding them first. */
  basic?: boolean
  /** Encoding of a POST body. Default: `form`. */
  body?: 'form' | 'json'
  /** Renew this many seconds before the token expires, where an expired token cannot be renewed. */
  aheadS?: number
}

/** A call that returns the app a token was issued to. */
export interface AppCheck extends TokenExchange {
  /** Returns the key of that app from the response body. */
  read: (body: unknown) => string | undefined
  /**
   * What `read` returns is not the key: it is compared with what the same call returns for a token of the app itself (client
   * credentials). Where that names no app, as at older servers, nothing is proven.
   */
  likeOwn?: true
}

/** A call that returns the scopes that a person granted to the app. */
export interface ScopeCheck extends TokenExchange {
  /** Returns the scopes from the response body; undefined where it does not name them. */
  read: (body: unknown) => string[] | undefined
}

/** For a service that spreads its users over several instances: finds the instance of one person. */
export interface Home {
  /** Address of the person's public record. */
  document: (subject: string) => string
  /** Returns the address of the person's instance from that record; undefined when the record is of another subject. */
  read: (document: unknown, subject: string) => string | undefined
  /** Path of the API on an instance. */
  apiPath: string
  /** How a handle that the person gave leads to the subject, if the service has handles that are domain names. */
  handle?: HandleResolution
}

/** How a domain name leads to a person (atproto): by a DNS record or a document, and back by the person's public record. */
export interface HandleResolution {
  /** Name of the DNS record whose text names the subject. */
  record: (handle: string) => string
  /** Reads the subject from the texts of that record; undefined if none names one. */
  fromRecord: (texts: readonly string[]) => string | undefined
  /** Address of the document that contains the subject. */
  document: (handle: string) => string
  /** Whether the public record of the subject names this handle. */
  isNamed: (document: unknown, handle: string) => boolean
}

/**
 * How an app gets its key at a service by itself. `rfc7591`: dynamic registration, at `url` or where the metadata says.
 * `declared`: a request of the service's own form whose response has `client_id` and `client_secret`; `{app}`,
 * `{callback}`, `{scope}` and `{website}` are replaced. `document`: the key is the address of a document that Tributary
 * publishes, with the public part of a private key of the app.
 */
export type ClientRegistration =
  | { kind: 'rfc7591'; url?: string; scope?: string }
  | { kind: 'declared'; url: string; body: 'form' | 'json'; parameters: Parameters; scope?: string }
  | { kind: 'document'; scope?: string }

/** How to end a token or a grant at a service that does not follow RFC 7009. */
export interface Revocation {
  method: 'POST' | 'DELETE' | 'GET'
  /**
   * `bearer` sends the token as API calls do, `none` sends a form without it; otherwise it is the parameter `token`, unless
   * `parameters` contain it.
   */
  tokenPlacement: 'form' | 'json' | 'query' | 'bearer' | 'none'
  /**
   * `{key}`, `{secret}`, `{token}`, `{sub}` (the person's id) and `{proof}` (see `proof` of `OAuth2`) are replaced here and in
   * `revokeUrl`.
   */
  parameters?: Parameters
  tokenAuth?: TokenAuth
  /** True for a refusal that means: the service knows no such token any more. */
  isGone?: (response: { status: number; body: unknown }) => boolean
}

/**
 * What a revocation ends. `token`: the tokens of one sign-in. `grant`: every token that the app has for the person, also
 * those of other profiles.
 */
export type RevocationScope = 'token' | 'grant'

/**
 * How people sign in at an OAuth 2 service. Write it with `oauth2()`, which fills in the defaults. No built-in connector uses
 * every field; the others exist for operators' own connectors.
 */
export interface OAuth2 {
  kind: 'oauth2'
  authorizeUrl: string
  tokenUrl: string
  /** Where to refresh a token, if not at `tokenUrl`. */
  refreshUrl?: string
  /** Called as RFC 7009 describes, unless `revoke` is set. */
  revokeUrl?: string
  revoke?: Revocation
  /** What `revokeUrl` ends. Default: `grant`, because RFC 7009 leaves it to the service. */
  revokeEnds: RevocationScope
  /** How to end the tokens of one sign-in, for a service whose `revokeUrl` ends the grant. */
  revokeToken?: Revocation & { url: string }
  scope: {
    default: string[]
    separator: string
    name: string
    /** Send the scope to the token endpoint as well. */
    atToken: boolean
    /** Field of the granted scope in the token response, if not `name`. */
    granted?: string
    /** A setting of the app that says what to request: with it, no scope is sent. */
    unlessSetting?: string
    /** Parameter of the redirect with the granted scope, for a service whose token response does not name it. */
    redirect?: string
    /** Scopes that a wider one includes: `{ read: ['read:accounts'] }`. */
    includes?: Record<string, readonly string[]>
  }
  tokenAuth: TokenAuth
  signedNonce?: SignedNonce
  idToken?: IdToken
  /** Values of the token response and the callback that calls need. */
  facts: Facts
  /** Further facts, of the one tenant among the person's that they choose. Without it, a sign-in is for the whole service. */
  tenants?: Tenants
  tokenMethod: 'POST' | 'GET'
  /** Encoding of the token request's body. */
  tokenBody: 'form' | 'json'
  /** Use PKCE with S256. Switch it off only for a service that rejects it. */
  pkce: boolean
  /** Parameter and field names that differ from RFC 6749, e.g. `client_id: 'client_key'`. */
  names: Partial<
    Record<'client_id' | 'client_secret' | 'code' | 'redirect_uri' | 'refresh_token' | 'access_token', string>
  >
  /**
   * Parameters to add to each authorization, token or refresh request. `{key}` and `{setting.NAME}` are replaced; a parameter with
   * a setting that is not set is left out.
   */
  parameters: { authorize?: Parameters; token?: Parameters; refresh?: Parameters }
  /** Keys that lead from the top of the token response to the object with the token. */
  tokenPath: string[]
  /** Field of the token response with the person's id. */
  subject: string
  /** Lifetime of a token, for services whose `expires_in` is missing or wrong. */
  expiresInS?: number
  /** Field of the token response with an error code, where 0 means success. Default: `error`. */
  errorField?: string
  /** Meaning of error codes of the token endpoint that RFC 6749 does not define. */
  errors: Record<string, 'retry' | 'reauthorize' | 'stop'>
  /** Reads which app a token was issued to, so that a token of another app can be rejected. */
  verifyApp?: AppCheck
  /** What the service offers instead of such a call, and why it proves nothing: one sentence for the documentation. */
  noAppCheck?: string
  /** Reads which scopes the person granted, for services whose token response does not say. */
  grantedScope?: ScopeCheck
  /** Exchanges the token of the sign-in for a longer-lived one. */
  longToken?: TokenExchange
  /** Renews the access token itself, for services without refresh tokens. */
  renew?: TokenExchange
  /** RFC 9207: the issuer that the redirect with the code must name. */
  issuer?: string
  /** RFC 9126: where to push the authorization parameters; the browser then carries only a reference to them. */
  parUrl?: string
  /** RFC 9449: bind tokens to a key of this installation. */
  dpop: boolean
  tokenPlacement: TokenPlacement
  /** Parameter to add to each call: HMAC-SHA256 of the token with the app's secret, in hex. */
  proof?: string
  flags: Record<string, Variation>
  forceLogin?: Variation
  /** Discover the addresses of the instance at `base_url` (RFC 8414; with `resource`, RFC 9728 first). */
  discover?: { resource: boolean }
  /** Send calls about a person to that person's own instance. */
  home?: Home
  /** The app needs no key of its own: it is registered at the first sign-in, at each instance once. */
  registration?: ClientRegistration
  /** How the service returns the code. `form_post`: by a form that the browser posts to the callback. Default: `query`. */
  responseMode?: 'form_post'
}

/** How people sign in at an OAuth 1.0a service. Write it with `oauth1()`, which fills in the defaults. */
export interface OAuth1 {
  kind: 'oauth1'
  requestTokenUrl: string
  authorizeUrl: string
  accessTokenUrl: string
  signature: 'HMAC-SHA1' | 'HMAC-SHA256' | 'RSA-SHA1' | 'PLAINTEXT'
  transmit: 'header' | 'query' | 'body'
  realm?: string
  /** Scope parameter of the request-token call, if the service has one. */
  scopeName?: string
  scope: { default: string[]; separator: string }
  revokeUrl?: string
  /** What `revokeUrl` ends. Default: `token`, because the request is signed with the token. */
  revokeEnds: RevocationScope
  flags: Record<string, Variation>
  forceLogin?: Variation
}

/** The person enters an API key of the service. */
export interface ApiKey {
  kind: 'api_key'
  tokenPlacement: TokenPlacement
  fields: { token: TypedField }
}

/** The person enters a user name and password of the service; calls carry them by HTTP Basic. */
export interface Basic {
  kind: 'basic'
  fields: { name: TypedField; password: TypedField }
}

export type Auth = OAuth2 | OAuth1 | ApiKey | Basic | Typed | NoAuth | AppPassword | FileUpload

/**
 * Whether an app needs a key of its own at the service. Where people type their credentials, or need none, it does not; nor where
 * it is registered at the first sign-in.
 */
export function needsKeys(auth: Auth): boolean {
  return auth.kind === 'oauth1' || (auth.kind === 'oauth2' && auth.registration === undefined)
}

/** What the person types on Tributary's page; undefined for a service with a login page of its own. */
export function typedFieldsOf(auth: Auth): TypedFields | undefined {
  return 'fields' in auth ? auth.fields : undefined
}

type OAuth2Input = Partial<Omit<OAuth2, 'kind' | 'scope'>> & {
  scope?: Partial<OAuth2['scope']>
}

/**
 * Describes an OAuth 2 service. The defaults follow RFC 6749 and RFC 9700; set only what differs.
 *
 *     auth: oauth2({
 *       authorizeUrl: 'https://service.example/oauth/authorize',
 *       tokenUrl: 'https://service.example/oauth/token',
 *       scope: { default: ['read'] },
 *     })
 */
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
    facts: {},
    dpop: false,
    revokeEnds: 'grant',
    tokenPlacement: { in: 'header', scheme: 'Bearer' },
    flags: {},
    ...input,
    kind: 'oauth2',
    scope: { default: [], separator: ' ', name: 'scope', atToken: false, ...input.scope },
  }
}

type OAuth1Input = Partial<Omit<OAuth1, 'kind' | 'scope'>> &
  Pick<OAuth1, 'requestTokenUrl' | 'authorizeUrl' | 'accessTokenUrl'> & { scope?: Partial<OAuth1['scope']> }

/** Describes an OAuth 1.0a service. Default: HMAC-SHA1, signed in the `Authorization` header. */
export function oauth1(input: OAuth1Input): OAuth1 {
  return {
    signature: 'HMAC-SHA1',
    transmit: 'header',
    revokeEnds: 'token',
    flags: {},
    ...input,
    kind: 'oauth1',
    scope: { default: [], separator: ',', ...input.scope },
  }
}

/** Describes a service with API keys, e.g. `apiKey({ in: 'header', scheme: '', name: 'X-Api-Key' })`. */
export function apiKey(tokenPlacement: TokenPlacement, field: Partial<TypedField> = {}): ApiKey {
  return { kind: 'api_key', tokenPlacement, fields: { token: { title: 'API key', secret: true, ...field } } }
}

/** Describes a service with HTTP Basic authentication. */
export function basic(fields: { name?: Partial<TypedField>; password?: Partial<TypedField> } = {}): Basic {
  return {
    kind: 'basic',
    fields: {
      name: { title: 'User name', autocomplete: 'username', ...fields.name },
      password: { title: 'Password', secret: true, ...fields.password },
    },
  }
}

/** A service's credential for one person. Sealed at rest. */
export interface Credential {
  token: string
  tokenSecret?: string
  refreshToken?: string
  expiresAt?: number
  scope?: string
  /** The person's id, if the token response contains it. */
  subject?: string
  /** Private JWK of a DPoP-bound token. */
  dpopKey?: JsonObject
  /** What the connector's `facts` read at the sign-in. */
  facts?: Record<string, string>
  /** The claims of the verified ID token. */
  claims?: JsonObject
  /** Addresses of the person's instance, for services with several. */
  instance?: Record<string, string>
  /** What the person typed, where calls or the exchange need it. */
  fields?: TypedValues
  /** The previous refresh token, kept in case the response to a rotation was lost. */
  previousRefreshToken?: string
}

export type JsonObject = { [key: string]: unknown }

/** The result of a sign-in. */
export interface SignedIn {
  credential: Credential
  self: Self
  /** The service's own record of the person, unchanged. */
  raw: string
}
