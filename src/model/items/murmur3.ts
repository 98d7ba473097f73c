const C1 = 0x239b961b
const C2 = 0xab0e9789
const C3 = 0x38b34ae5
const C4 = 0xa1e38b93

// Shared by all calls, so that hashing allocates nothing but its result.
const digest = Buffer.alloc(16)

/** MurmurHash3 x86_128 with seed 0 over the UTF-8 bytes of `text`, as 32 lower-case hex digits. */
export function murmur3Hex(text: string): string {
  // One char is one byte only in ASCII; other texts are first converted to one char per UTF-8 byte.
  return hashChars(isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1'))
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false
  return true
}

function hashChars(bytes: string): string {
  const length = bytes.length
  let h1 = 0
  let h2 = 0
  let h3 = 0
  let h4 = 0
  const blocksEnd = length & ~15
  for (let at = 0; at < blocksEnd; at += 16) {
    h1 ^= mix(word(bytes, at), C1, 15, C2)
    h1 = (Math.imul(rotate(h1, 19) + h2, 5) + 0x561ccd1b) | 0
    h2 ^= mix(word(bytes, at + 4), C2, 16, C3)
    h2 = (Math.imul(rotate(h2, 17) + h3, 5) + 0x0bcaa747) | 0
    h3 ^= mix(word(bytes, at + 8), C3, 17, C4)
    h3 = (Math.imul(rotate(h3, 15) + h4, 5) + 0x96cd1c35) | 0
    h4 ^= mix(word(bytes, at + 12), C4, 18, C1)
    h4 = (Math.imul(rotate(h4, 13) + h1, 5) + 0x32ac3b17) | 0
  }

  const rest = length - blocksEnd
  if (rest > 12) h4 ^= mix(partialWord(bytes, blocksEnd + 12, length), C4, 18, C1)
  if (rest > 8) h3 ^= mix(partialWord(bytes, blocksEnd + 8, length), C3, 17, C4)
  if (rest > 4) h2 ^= mix(partialWord(bytes, blocksEnd + 4, length), C2, 16, C3)
  if (rest > 0) h1 ^= mix(partialWord(bytes, blocksEnd, length), C1, 15, C2)

  h1 ^= length
  h2 ^= length
  h3 ^= length
  h4 ^= length
  h1 = (h1 + h2 + h3 + h4) | 0
  h2 = (h2 + h1) | 0
  h3 = (h3 + h1) | 0
  h4 = (h4 + h1) | 0
  h1 = avalanche(h1)
  h2 = avalanche(h2)
  h3 = avalanche(h3)
  h4 = avalanche(h4)
  h1 = (h1 + h2 + h3 + h4) | 0
  h2 = (h2 + h1) | 0
  h3 = (h3 + h1) | 0
  h4 = (h4 + h1) | 0
  digest.writeInt32BE(h1, 0)
  digest.writeInt32BE(h2, 4)
  digest.writeInt32BE(h3, 8)
  digest.writeInt32BE(h4, 12)
  return digest.toString('hex')
}

function word(bytes: string, at: number): number {
  return (
    bytes.charCodeAt(at) |
    (bytes.charCodeAt(at + 1) << 8) |
    (bytes.charCodeAt(at + 2) << 16) |
    (bytes.charCodeAt(at + 3) << 24)
  )
}

function partialWord(bytes: string, from: number, end: number): number {
  let value = 0
  for (let at = Math.min(from + 4, end) - 1; at >= from; at--) value = (value << 8) | bytes.charCodeAt(at)
  return value
}

function mix(value: number, first: number, rotation: number, second: number): number {
  return Math.imul(rotate(Math.imul(value, first), rotation), second)
}

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by))
}

function avalanche(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
