import { crc32 } from 'node:zlib'
import { decodeNumber, encodeNumber, randomSecret, SHARDS } from '#platform/ids.ts'

// trt_ + part (2) + time (9) + 256 bits (52) + checksum (6): 73 characters, well under the 255 that clients reserve.
const PATTERN = /^trt_([0-9a-hjkmnp-tv-z]{2})([0-9a-hjkmnp-tv-z]{9})[0-9a-hjkmnp-tv-z]{52}([0-9a-hjkmnp-tv-z]{6})$/

export interface AccessTokenParts {
  shard: number
  issuedAt: number
}

/** A new token each time, unless its secret is given: it holds its time, and the part that its account lives in. It never expires. */
export function newAccessToken(shard: number, nowMs: number, secret = randomSecret()): string {
  const body = `trt_${encodeNumber(shard, 2)}${encodeNumber(nowMs, 9)}${secret}`
  return body + checksum(body)
}

/** What a token says of itself; undefined for anything mistyped, without asking the database. */
export function readAccessToken(token: string): AccessTokenParts | undefined {
  const [, partText = '', timeText = '', sum] = PATTERN.exec(token) ?? []
  const [shard, issuedAt] = [decodeNumber(partText), decodeNumber(timeText)]
  if (shard === undefined || issuedAt === undefined || checksum(token.slice(0, -6)) !== sum) return undefined
  return { shard, issuedAt }
}

/** A single-use text that says which part it lives in. */
export function newTicket(kind: 'trc' | 'trf', shard: number, secret = randomSecret()): string {
  return `${kind}_${encodeNumber(shard, 2)}${secret}`
}

export function ticketShard(kind: 'trc' | 'trf', ticket: string): number | undefined {
  const [, given, partText = ''] = /^(tr[a-z])_([0-9a-hjkmnp-tv-z]{2})[0-9a-hjkmnp-tv-z]{52}$/.exec(ticket) ?? []
  const shard = given === kind ? decodeNumber(partText) : undefined
  return shard === undefined ? undefined : shard % SHARDS
}

function checksum(body: string): string {
  // 30 of the 32 bits fill six characters; any single wrong character still shows.
  return encodeNumber(crc32(body) >>> 2, 6)
}
