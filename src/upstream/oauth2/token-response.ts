import type { OAuth2 } from '#kit/auth.ts'
import type { LosslessJson } from '../body/lossless-json.ts'
import { omitUndefined } from '../omit-undefined.ts'
import { isObject, type LosslessObject } from '../parse-object.ts'

/** What every token answer says, whatever its shape. */
export interface TokenResponse {
  token: string
  refreshToken?: string
  expiresAt?: number
  scope?: string
  subject?: string
  tokenType?: string
}

type Shape = Pick<OAuth2, 'tokenPath' | 'names' | 'expiresInS' | 'scope' | 'subject'>

/** Reads the answer of a token endpoint; undefined when it holds no token. `askedAtMs` is when the question was sent. */
export function readTokenResponse(shape: Shape, fields: LosslessObject, askedAtMs: number): TokenResponse | undefined {
  const inner = at(fields, shape.tokenPath)
  const name = shape.names.access_token ?? 'access_token'
  // Some services nest the first answer only, so the top is looked at as well.
  const found = [inner, fields].find((one) => isObject(one) && text(one[name]) !== undefined)
  if (!isObject(found)) return undefined
  return omitUndefined({
    token: text(found[name])!,
    refreshToken: text(found[shape.names.refresh_token ?? 'refresh_token']),
    expiresAt: shape.expiresInS === undefined ? expiry(found, askedAtMs) : askedAtMs + shape.expiresInS * 1000,
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
  if (Array.isArray(value)) return value.map(String).join(separator)
  return typeof value === 'string' ? value : undefined
}

// Seconds since 1970 passed a thousand million in 2001; no token lives that many seconds.
const EPOCH_S = 1_000_000_000
const EPOCH_MS = EPOCH_S * 1000

/** Limit: time that a token may say to live; a longer one is cut to this. */
const MAX_TOKEN_LIFE_MS = 3650 * 86_400_000

function expiry(fields: LosslessObject, askedAtMs: number): number | undefined {
  for (const name of ['expires_in', 'expires', 'expires_at']) {
    const moment = momentOf(fields[name], askedAtMs)
    if (moment !== undefined) return Math.min(moment, askedAtMs + MAX_TOKEN_LIFE_MS)
  }
  return undefined
}

/** A number of seconds from now or since 1970, in milliseconds or as a date; zero and less mean never. */
function momentOf(value: LosslessJson | undefined, askedAtMs: number): number | undefined {
  if (value === undefined || value === null || typeof value === 'boolean' || typeof value === 'object') return undefined
  const number = Number(value)
  if (String(value).trim() === '' || Number.isNaN(number)) {
    const date = Date.parse(String(value))
    return Number.isNaN(date) ? undefined : date
  }
  if (number <= 0) return undefined
  if (number >= EPOCH_MS) return Math.floor(number)
  return Math.floor(number >= EPOCH_S ? number * 1000 : askedAtMs + number * 1000)
}
