import { crc32 } from 'node:zlib'
import { decodeNumber, encodeNumber, PARTS, randomSecret } from '#base/ids.ts'

// trt_ + part (2) + time (9) + 256 bits (52) + checksum (6): 73 characters, well under the 255 that clients reserve.
const PATTERN = /^trt_([0-9a-hjkmnp-tv-z]{2})([0-9a-hjkmnp-tv-z]{9})[0-9a-hjkmnp-tv-z]{52}([0-9a-hjkmnp-tv-z]{6})$/

export interface AccessTokenParts {
  part: number
  issuedAt: number
}

/** A new token each time, unless its secret is given: it holds its time, and the part that its account lives in. It never expires. */
export function newAccessToken(part: number, nowMs: number, secret = randomSecret()): string {
  const body = `trt_${encodeNumber(part, 2)}${encodeNumber(nowMs, 9)}${secret}`
  return body + checksum(body)
}

/** What a token says of itself; undefined for anything mistyped, without asking the database. */
export function readAccessToken(token: string): AccessTokenParts | undefined {
  const [, partText = '', timeText = '', sum] = PATTERN.exec(token) ?? []
  const [part, issuedAt] = [decodeNumber(partText), decodeNumber(timeText)]
  if (part === undefined || issuedAt === undefined || checksum(token.slice(0, -6)) !== sum) return undefined
  return { part, issuedAt }
}

/** A single-use text that says which part it lives in. */
export function newTicket(kind: 'trc' | 'trf', part: number, secret = randomSecret()): string {
  return `${kind}_${encodeNumber(part, 2)}${secret}`
}

export function ticketPart(kind: 'trc' | 'trf', ticket: string): number | undefined {
  const [, given, partText = ''] = /^(tr[a-z])_([0-9a-hjkmnp-tv-z]{2})[0-9a-hjkmnp-tv-z]{52}$/.exec(ticket) ?? []
  const part = given === kind ? decodeNumber(partText) : undefined
  return part === undefined ? undefined : part % PARTS
}

function checksum(body: string): string {
  // 30 of the 32 bits fill six characters; any single wrong character still shows.
  return encodeNumber(crc32(body) >>> 2, 6)
}
