import { crc32 } from 'node:zlib'
import { decodeNumber, encodeBase32, encodeNumber, randomSecret, SHARDS } from '#platform/crypto/ids.ts'

// Prefix, _, shard (2), time (9), 256 bits (52), checksum (6): 73 characters, well under the 255 that clients reserve.
const PATTERN = /^(tr[tp])_([0-9a-hjkmnp-tv-z]{2})([0-9a-hjkmnp-tv-z]{9})[0-9a-hjkmnp-tv-z]{52}([0-9a-hjkmnp-tv-z]{6})$/

/** The token of an account; one for a service, with which only the proxy can be called. */
type TokenPrefix = 'trt' | 'trp'

export interface AccessTokenParts {
  shard: number
  issuedAt: number
}

/** Creates an access token. It contains its time and the shard of its account, and never expires. */
export function newAccessToken(shard: number, nowMs: number, secret = randomSecret()): string {
  return newToken('trt', shard, nowMs, secret)
}

/** Reads shard and time from a token; undefined for a malformed or mistyped one, without a query to the database. */
export function readAccessToken(token: string): AccessTokenParts | undefined {
  return readToken('trt', token)
}

/** Creates a token for one service, in the form of an access token. */
export function newProxyToken(shard: number, nowMs: number): string {
  return newToken('trp', shard, nowMs, randomSecret())
}

export function readProxyToken(token: string): AccessTokenParts | undefined {
  return readToken('trp', token)
}

/** What names a token in lists and in the log: 80 bits of its hash, which open nothing. */
export function tokenIdOf(hash: Uint8Array): string {
  return encodeBase32(hash.subarray(0, 10))
}

function newToken(prefix: TokenPrefix, shard: number, nowMs: number, secret: string): string {
  const body = `${prefix}_${encodeNumber(shard, 2)}${encodeNumber(nowMs, 9)}${secret}`
  return body + checksum(body)
}

function readToken(prefix: TokenPrefix, token: string): AccessTokenParts | undefined {
  const [, given, shardText = '', timeText = '', sum] = PATTERN.exec(token) ?? []
  if (given !== prefix) return undefined
  const [shard, issuedAt] = [decodeNumber(shardText), decodeNumber(timeText)]
  if (shard === undefined || issuedAt === undefined || checksum(token.slice(0, -6)) !== sum) return undefined
  return { shard, issuedAt }
}

/**
 * What a ticket is for: a code, a confirmation page, a link to reconnect a profile, a link of a connect session; the code, the access
 * token or the refresh token of an agent; the link and the session of a page of connections.
 */
type TicketKind = 'trc' | 'trf' | 'trl' | 'tro' | 'tra' | 'trm' | 'trn' | 'trv' | 'trw'

/** Creates a ticket that contains its shard. */
export function newTicket(kind: TicketKind, shard: number, secret = randomSecret()): string {
  return `${kind}_${encodeNumber(shard, 2)}${secret}`
}

export function ticketShard(kind: TicketKind, ticket: string): number | undefined {
  const [, given, shardText = ''] = /^(tr[a-z])_([0-9a-hjkmnp-tv-z]{2})[0-9a-hjkmnp-tv-z]{52}$/.exec(ticket) ?? []
  const shard = given === kind ? decodeNumber(shardText) : undefined
  return shard === undefined ? undefined : shard % SHARDS
}

function checksum(body: string): string {
  // Six characters take 30 of the 32 bits; any single wrong character is still detected.
  return encodeNumber(crc32(body) >>> 2, 6)
}
