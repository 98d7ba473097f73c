import { isFlag, isListOf, isNumber, isText, type SettingRules } from '../base/settings.ts'
import { type SignatureMethod, signatureMethods } from './signature.ts'

const transmissions = ['header', 'body', 'query'] as const
export type Transmission = (typeof transmissions)[number]

export interface OAuth1Settings {
  methods: readonly SignatureMethod[]
  transmissions: readonly Transmission[]
  skewSeconds: number
  requestTokenTtlSeconds: number
  /** `host`: the callback may be any path on the host of a registered one. */
  callbackMatch: 'exact' | 'host' | 'any'
  /** Whether `oauth_callback=oob` is supported: the person copies a PIN. */
  oob: boolean
  /** `missing` simulates a 1.0 (not 1.0a) service, which a secure client must reject. */
  callbackConfirmed: 'true' | 'missing'
  /** The content type of the two token responses. */
  tokenResponseType: string
  /** RFC 5849 3.2 allows 400 for malformed requests; many services always send 401. */
  malformedStatus: 400 | 401
  permissionChoice: boolean
}

export const oauth1Defaults: OAuth1Settings = {
  methods: ['HMAC-SHA1', 'HMAC-SHA256', 'RSA-SHA1'],
  transmissions: ['header', 'body', 'query'],
  skewSeconds: 300,
  requestTokenTtlSeconds: 600,
  callbackMatch: 'exact',
  oob: false,
  callbackConfirmed: 'true',
  tokenResponseType: 'application/x-www-form-urlencoded',
  malformedStatus: 401,
  permissionChoice: false,
}

export const oauth1SettingRules: SettingRules<OAuth1Settings> = {
  methods: isListOf(signatureMethods),
  transmissions: isListOf(transmissions),
  skewSeconds: isNumber,
  requestTokenTtlSeconds: isNumber,
  callbackMatch: ['exact', 'host', 'any'],
  oob: isFlag,
  callbackConfirmed: ['true', 'missing'],
  tokenResponseType: isText,
  malformedStatus: [400, 401],
  permissionChoice: isFlag,
}
