import type { OAuth2 } from '#kit/auth/auth.ts'
import { storableText } from '#platform/formats/storable-text.ts'
import type { LosslessJson } from '../body/lossless-json.ts'
import { omitUndefined } from '../request/omit-undefined.ts'
import { isObject, type LosslessObject } from '../request/parse-object.ts'

/** The fields of a token response. */
export interface TokenResponse {
  token: string
  refreshToken?: string
  expiresAt?: number
  scope?: string
  subject?: string
  tokenType?: string
}

type Shape = Pick<OAuth2, 'tokenPath' | 'names' | 'expiresInS' | 'scope' | 'subject'>

/** Reads the response of a token endpoint; undefined if it has no token. `sentAtMs` is when the request was sent. */
export function readTokenResponse(shape: Shape, fields: LosslessObject, sentAtMs: number): TokenResponse | undefined {
  const inner = at(fields, shape.tokenPath)
  const name = shape.names.access_token ?? 'access_token'
  // Some services nest only the first response, so the top level is read as well.
  const found = [inner, fields].find((one) => isObject(one) && text(one[name]) !== undefined)
  if (!isObject(found)) return undefined
  return omitUndefined({
    token: text(found[name])!,
    refreshToken: text(found[shape.names.refresh_token ?? 'refresh_token']),
    expiresAt: shape.expiresInS === undefined ? expiry(found, sentAtMs) : sentAtMs + shape.expiresInS * 1000,
    scope: scopeText(found[shape.scope.granted ?? shape.scope.name] ?? found['scope'], shape.scope.separator),
    subject: text(found[shape.subject] ?? fields[shape.subject]),
    tokenType: text(found['token_type']),
  })
}

function at(fields: LosslessJson, path: readonly string[]): LosslessJson | undefined {
  let current: LosslessJson | undefined = fields
  for (const step of path) {
    if (Array.isArray(current)) current = current[Number(step)]
    else current = isObject(current) && Object.hasOwn(current, step) ? current[step] : undefined
  }
  return current
}

function text(value: LosslessJson | undefined): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function scopeText(value: LosslessJson | undefined, separator: string): string | undefined {
  if (Array.isArray(value)) return storableText(value.map(String).join(separator))
  return typeof value === 'string' ? storableText(value) : undefined
}

// Larger numbers are timestamps: no token is valid for a thousand million seconds.
const EPOCH_S = 1_000_000_000
const EPOCH_MS = EPOCH_S * 1000

/** Limit: lifetime of a token; a longer one is shortened to this. */
const MAX_TOKEN_LIFETIME_MS = 3650 * 86_400_000

function expiry(fields: LosslessObject, sentAtMs: number): number | undefined {
  for (const name of ['expires_in', 'expires', 'expires_at']) {
    const time = timeOf(fields[name], sentAtMs)
    if (time !== undefined) return Math.min(time, sentAtMs + MAX_TOKEN_LIFETIME_MS)
  }
  return undefined
}

/**
 * Reads seconds from now, seconds or milliseconds since 1970, or a date; zero and less mean that it does not expire.
 */
function timeOf(value: LosslessJson | undefined, sentAtMs: number): number | undefined {
  if (value === undefined || value === null || typeof value === 'boolean' || typeof value === 'object') return undefined
  const number = Number(value)
  if (String(value).trim() === '' || Number.isNaN(number)) {
    const date = Date.parse(String(value))
    return Number.isNaN(date) ? undefined : date
  }
  if (number <= 0) return undefined
  if (number >= EPOCH_MS) return Math.floor(number)
  return Math.floor(number >= EPOCH_S ? number * 1000 : sentAtMs + number * 1000)
}
