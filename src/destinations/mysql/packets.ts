import { malformed } from '../checked-socket.ts'

/** Limit: bytes of the name of a server's version. Beyond it the connection is closed. */
const MAX_VERSION_BYTES = 255

const HAS_PROTOCOL_41 = 0x200
const HAS_SECURE_CONNECTION = 0x8000
const HAS_PLUGIN_AUTH = 0x80000
const HAS_TLS = 0x800
const MORE_RESULTS = 0x08
/** Compression, our files, TLS (the socket does it), session tracking, further factors: a server must not start these. */
const NEVER_OFFERED = 0x20 | 0x80 | HAS_TLS | 0x800000 | 0x10000000

/** Texts, numbers and times. Other types (points, vectors, documents) have their own parsers, which our statements do not need. */
const PLAIN_TYPES = new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 246, 249, 250, 251, 252, 253, 254])

/** Checks the first packet of a server and clears the flags that the driver must not use. Returns whether TLS is offered. */
export function readGreeting(bytes: Buffer, at: number, end: number): boolean {
  const zero = bytes.indexOf(0, at)
  if (bytes[at] !== 10 || zero < 0 || zero >= end || zero - at > MAX_VERSION_BYTES)
    throw malformed('not a greeting of a MySQL server')
  // Thread, 8 bytes for the password, zero, flags, character set, status, flags, length, 10 reserved.
  const rest = zero + 1
  if (end - rest < 31) throw malformed('a truncated greeting')
  const flags = bytes.readUInt16LE(rest + 13) + bytes.readUInt16LE(rest + 18) * 0x10000
  for (const required of [HAS_PROTOCOL_41, HAS_SECURE_CONNECTION, HAS_PLUGIN_AUTH])
    if ((flags & required) === 0)
      throw new Error('The server is too old: it must support MySQL’s protocol 4.1 with plugins')
  const saltBytes = Math.max(13, bytes[rest + 20]! - 8)
  if (end - rest - 31 < saltBytes) throw malformed('a truncated greeting')
  const offered = flags & ~NEVER_OFFERED
  bytes.writeUInt16LE(offered & 0xffff, rest + 13)
  bytes.writeUInt16LE(offered >>> 16, rest + 18)
  // MariaDB offers extensions here, such as other column descriptions.
  bytes.fill(0, rest + 21, rest + 31)
  return (flags & HAS_TLS) !== 0
}

/** The position after a number of one to nine bytes; with `skip`, the position after the value whose length it is. */
export function afterNumber(bytes: Buffer, at: number, end: number, skip: boolean): number {
  const first = at < end ? bytes[at]! : 0xff
  const more = first < 0xfb ? 0 : first === 0xfc ? 2 : first === 0xfd ? 3 : first === 0xfe ? 8 : -1
  if (more < 0 || at + 1 + more > end) throw malformed('a truncated number')
  if (!skip) return at + 1 + more
  const value = more === 0 ? first : more === 8 ? Number(bytes.readBigUInt64LE(at + 1)) : bytes.readUIntLE(at + 1, more)
  if (at + 1 + more + value > end) throw malformed('a value that is longer than its packet')
  return at + 1 + more + value
}

export function checkOk(bytes: Buffer, at: number, end: number): void {
  const status = afterNumber(bytes, afterNumber(bytes, at + 1, end, false), end, false)
  if (status + 4 > end) throw malformed('a truncated end of a result')
  if ((bytes.readUInt16LE(status) & MORE_RESULTS) !== 0) throw malformed('more results than statements')
}

export function checkEndOfRows(bytes: Buffer, at: number, end: number): void {
  if (end - at !== 5) throw malformed('a wrong end of rows')
  if ((bytes.readUInt16LE(at + 3) & MORE_RESULTS) !== 0) throw malformed('more results than statements')
}

export function isEndOfRows(bytes: Buffer, at: number, end: number): boolean {
  return bytes[at] === 0xfe && end - at < 9
}

/** A column: six texts, then twelve bytes, whose seventh is the type. */
export function checkColumn(bytes: Buffer, at: number, end: number): void {
  let next = at
  for (let i = 0; i < 6; i += 1) next = afterNumber(bytes, next, end, true)
  if (end - next < 13 || bytes[next] !== 12) throw malformed('a malformed column')
  const type = bytes[next + 7]!
  if (!PLAIN_TYPES.has(type)) throw malformed(`a column of type ${type}`)
}

export function checkRow(bytes: Buffer, at: number, end: number, columns: number): void {
  let next = at
  for (let i = 0; i < columns; i += 1) next = bytes[next] === 0xfb ? next + 1 : afterNumber(bytes, next, end, true)
  if (next !== end) throw malformed('a row with a wrong length')
}

/** The message of an error packet, with its number. */
export function readError(bytes: Buffer, at: number, end: number): Error {
  if (end - at < 3) throw malformed('a truncated error')
  const from = at + (bytes[at + 3] === 0x23 ? 9 : 3)
  const message = bytes.toString('utf8', Math.min(from, end), Math.min(end, from + 300))
  return Object.assign(new Error(message), { code: `ER_${bytes.readUInt16LE(at + 1)}` })
}
