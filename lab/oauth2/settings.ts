import { isFlag, isListOf, isNumber, isText, isTextList, isTextMap, type SettingRules } from '../base/settings.ts'

export const clientAuthMethods = ['client_secret_basic', 'client_secret_post', 'query', 'none'] as const
export type ClientAuthMethod = (typeof clientAuthMethods)[number]

/** A grant that exchanges one access token for another, as Meta's services do. */
export interface TokenExchange {
  grantType: string
  /** The name of the token's parameter. */
  tokenParam: string
  path: string
  ttlSeconds: number
  /** Younger tokens are rejected. */
  minAgeSeconds: number
  /** Whether client credentials are required. */
  authenticated: boolean
}

/** Settings for the differences between OAuth 2 services. */
export interface OAuth2Settings {
  /** `off` ignores PKCE parameters, `refused` rejects them. */
  pkce: 'off' | 'refused' | 'allowed' | 'required'
  clientAuth: readonly ClientAuthMethod[]
  /** `raw` reads the Basic credentials unencoded; RFC 6749 2.3.1 requires form encoding. */
  basicEncoding: 'rfc6749' | 'raw'
  clientIdParam: string
  tokenBody: 'form' | 'json'
  /** Scope descriptions by name. */
  scopes: Readonly<Record<string, string>>
  defaultScopes: readonly string[]
  scopeSeparator: string
  tokenResponse: 'json' | 'form' | 'nested' | 'wrong-type'
  nestedKey: string
  /** `none`: tokens expire but the response does not say when. */
  expiry: 'expires_in' | 'expires_in_text' | 'expires_at' | 'none'
  /** 0 means never. */
  accessTtlSeconds: number
  /** `keep` omits refresh_token from the refresh response; the old one stays valid. `repeat` sends it again. */
  refresh: 'none' | 'rotate' | 'keep' | 'repeat'
  /** 0 means never. */
  refreshTtlSeconds: number
  longLived: TokenExchange | null
  renew: TokenExchange | null
  revocation: boolean
  introspection: boolean
  iss: 'off' | 'on' | 'wrong'
  par: 'off' | 'allowed' | 'required'
  codeTtlSeconds: number
  bearer: readonly ('header' | 'query' | 'body')[]
  bearerQueryParam: string
  registration: boolean
  metadata: boolean
  /** Some services send token endpoint errors with status 200. */
  tokenErrorStatus: 'rfc6749' | '200'
  /** Whether the person may deselect single scopes. */
  scopeChoice: boolean
  /** Where the granted scope is named. */
  scopeIn: 'response' | 'redirect'
}

export const oauth2Defaults: OAuth2Settings = {
  pkce: 'allowed',
  clientAuth: ['client_secret_post', 'client_secret_basic'],
  basicEncoding: 'rfc6749',
  clientIdParam: 'client_id',
  tokenBody: 'form',
  scopes: {},
  defaultScopes: [],
  scopeSeparator: ' ',
  tokenResponse: 'json',
  nestedKey: 'data',
  expiry: 'expires_in',
  accessTtlSeconds: 3600,
  refresh: 'rotate',
  refreshTtlSeconds: 0,
  longLived: null,
  renew: null,
  revocation: true,
  introspection: false,
  iss: 'off',
  par: 'off',
  codeTtlSeconds: 60,
  bearer: ['header'],
  bearerQueryParam: 'access_token',
  registration: false,
  metadata: true,
  tokenErrorStatus: 'rfc6749',
  scopeChoice: true,
  scopeIn: 'response',
}

const isTokenExchange = (value: unknown): boolean =>
  value === null ||
  (typeof value === 'object' &&
    'grantType' in value &&
    'tokenParam' in value &&
    'path' in value &&
    'ttlSeconds' in value)

export const oauth2SettingRules: SettingRules<OAuth2Settings> = {
  pkce: ['off', 'refused', 'allowed', 'required'],
  clientAuth: isListOf(clientAuthMethods),
  basicEncoding: ['rfc6749', 'raw'],
  clientIdParam: isText,
  tokenBody: ['form', 'json'],
  scopes: isTextMap,
  defaultScopes: isTextList,
  scopeSeparator: isText,
  tokenResponse: ['json', 'form', 'nested', 'wrong-type'],
  nestedKey: isText,
  expiry: ['expires_in', 'expires_in_text', 'expires_at', 'none'],
  accessTtlSeconds: isNumber,
  refresh: ['none', 'rotate', 'keep', 'repeat'],
  refreshTtlSeconds: isNumber,
  longLived: isTokenExchange,
  renew: isTokenExchange,
  revocation: isFlag,
  introspection: isFlag,
  iss: ['off', 'on', 'wrong'],
  par: ['off', 'allowed', 'required'],
  codeTtlSeconds: isNumber,
  bearer: isListOf(['header', 'query', 'body']),
  bearerQueryParam: isText,
  registration: isFlag,
  metadata: isFlag,
  tokenErrorStatus: ['rfc6749', '200'],
  scopeChoice: isFlag,
  scopeIn: ['response', 'redirect'],
}

/** Settings that are read before the client is known or do not concern a client. */
export const serviceWideSettings: ReadonlySet<string> = new Set([
  'basicEncoding',
  'clientIdParam',
  'tokenBody',
  'longLived',
  'renew',
  'revocation',
  'introspection',
  'bearer',
  'bearerQueryParam',
  'registration',
  'metadata',
  'tokenErrorStatus',
])
