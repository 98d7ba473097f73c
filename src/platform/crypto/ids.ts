import { createHash, randomBytes, randomInt } from 'node:crypto'

// Crockford's alphabet in lower case: it sorts like the encoded bytes and lacks i, l, o and u, which are easily misread.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** Number of shards. It can never change, because ids contain their shard. */
export const SHARDS = 1024

export function encodeBase32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET[(value >>> bits) & 31]
    }
    value &= (1 << bits) - 1
  }
  if (bits > 0) text += ALPHABET[(value << (5 - bits)) & 31]
  return text
}

/** A whole number as base32, padded on the left, so that texts sort like their numbers. */
export function encodeNumber(number: number, length: number): string {
  let text = ''
  let rest = number
  for (let i = 0; i < length; i += 1) {
    text = ALPHABET[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}

export function decodeNumber(text: string): number | undefined {
  let number = 0
  for (const char of text) {
    const digit = ALPHABET.indexOf(char)
    if (digit < 0) return undefined
    number = number * 32 + digit
  }
  return number
}

/** 48-bit timestamp, 80 random bits: sortable by age and impossible to guess. */
export function newId(nowMs: number): string {
  return encodeNumber(nowMs, 10) + encodeBase32(randomBytes(10))
}

/** An id that begins with its shard, so that no lookup is needed to find the row. */
export function newShardId(shard: number, nowMs: number): string {
  return encodeNumber(shard, 2) + newId(nowMs)
}

/** The shard at the beginning of an id; undefined when the text is not such an id. */
export function shardOf(id: string): number | undefined {
  return /^[0-9a-hjkmnp-tv-z]{28}$/.test(id) ? decodeNumber(id.slice(0, 2)) : undefined
}

/** Like `shardOf`, for ids that we created ourselves. */
export function shardIn(id: string): number {
  const shard = shardOf(id)
  if (shard === undefined) throw new Error(`“${id}” is not an id with a shard`)
  return shard
}

/** The time at which an id with a shard was created. */
export function timeIn(id: string): number {
  return decodeNumber(id.slice(2, 12)) ?? 0
}

/** The shard of rows that are found by a name instead of an id: evenly distributed and stable. */
export function shardFor(name: string): number {
  return createHash('sha256').update(name).digest().readUInt16BE(0) % SHARDS
}

export function randomShard(): number {
  return randomInt(SHARDS)
}

/** 256 random bits as text. */
export function randomSecret(): string {
  return encodeBase32(randomBytes(32))
}
