import { createHash, randomBytes, randomInt } from 'node:crypto'

// Crockford's alphabet in lower case: sorts as its bytes do, and has no i, l, o, u to misread.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** How many slices the data is cut into; fixed for ever, because ids carry their slice. */
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

/** A whole number as base32, left-padded, so that texts sort as their numbers do. */
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

/** 48 bits of time, 80 of chance: sortable by age and never guessed. */
export function newId(nowMs: number): string {
  return encodeNumber(nowMs, 10) + encodeBase32(randomBytes(10))
}

/** An id that says which part it lives in, so that no look-up is needed to find it. */
export function newShardId(shard: number, nowMs: number): string {
  return encodeNumber(shard, 2) + newId(nowMs)
}

/** The part a part-bearing id names, or undefined when the text is no such id. */
export function shardOf(id: string): number | undefined {
  return /^[0-9a-hjkmnp-tv-z]{28}$/.test(id) ? decodeNumber(id.slice(0, 2)) : undefined
}

/** The same for an id of our own making, which cannot be anything else. */
export function shardIn(id: string): number {
  const shard = shardOf(id)
  if (shard === undefined) throw new Error(`${id} is no id of ours`)
  return shard
}

/** The part of things that are found by a name instead of a part-bearing id: spread evenly, the same for ever. */
export function shardFor(name: string): number {
  return createHash('sha256').update(name).digest().readUInt16BE(0) % SHARDS
}

export function randomShard(): number {
  return randomInt(SHARDS)
}

/** 256 bits of chance as text. */
export function randomSecret(): string {
  return encodeBase32(randomBytes(32))
}
