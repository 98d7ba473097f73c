import { isFlag, isListOf, isNumber, isText, isTextList, isTextMap, type SettingRules } from '../base/settings.ts'

export const clientAuthMethods = ['client_secret_basic', 'client_secret_post', 'query', 'none'] as const
export type ClientAuthMethod = (typeof clientAuthMethods)[number]

/** A grant that trades one access token for another, the way the Meta family does it. */
export interface TokenExchange {
  grantType: string
  /** The parameter that carries the token. */
  tokenParam: string
  path: string
  ttlSeconds: number
  /** A younger token is refused. */
  minAgeSeconds: number
  /** Whether client credentials are needed. */
  authenticated: boolean
}

/** Every way in which OAuth 2 services differ from each other, as knobs. */
export interface OAuth2Settings {
  /** `off` ignores PKCE parameters, `refused` rejects them. */
  pkce: 'off' | 'refused' | 'allowed' | 'required'
  clientAuth: readonly ClientAuthMethod[]
  /** `raw` services take the Basic pair as it is; RFC 6749 2.3.1 wants both halves form-encoded. */
  basicEncoding: 'rfc6749' | 'raw'
  clientIdParam: string
  tokenBody: 'form' | 'json'
  /** Scope name to its meaning in plain words. */
  scopes: Readonly<Record<string, string>>
  defaultScopes: readonly string[]
  scopeSeparator: string
  tokenAnswer: 'json' | 'form' | 'nested' | 'wrong-type'
  nestedKey: string
  /** `none` still expires the token, but does not say when. */
  expiry: 'expires_in' | 'expires_in_text' | 'expires_at' | 'none'
  /** 0 means never. */
  accessTtlSeconds: number
  /** `keep` leaves refresh_token out of the refresh answer; the old one goes on working. */
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
  /** Some services answer errors of the token endpoint with status 200. */
  tokenErrorStatus: 'rfc6749' | '200'
  /** Whether the person may untick single scopes. */
  scopeChoice: boolean
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
  tokenAnswer: 'json',
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
  tokenAnswer: ['json', 'form', 'nested', 'wrong-type'],
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
}

/** Read before the client is known, or not about a client at all. */
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
