import { crc32, inflateRawSync } from 'node:zlib'

/**
 * Why an archive is refused. `damaged` is everything that does not follow the format, also a size that is not true.
 */
export type ZipFault = 'damaged' | 'encrypted' | 'unsupported' | 'too_many_entries' | 'too_large'

export class ZipError extends Error {
  override name = 'ZipError'
  readonly fault: ZipFault

  constructor(fault: ZipFault, message: string) {
    super(message)
    this.fault = fault
  }
}

/** A file in an archive. */
export interface ZipEntry {
  /** As the archive says it: never use it as a path. */
  name: string
  compressedBytes: number
  /** As the archive says it: reading compares it. */
  bytes: number
  method: number
  crc: number
  offset: number
}

const END = 0x06054b50
const CENTRAL = 0x02014b50
const LOCAL = 0x04034b50
/** The fixed parts of the three records. */
const END_BYTES = 22
const CENTRAL_BYTES = 46
const LOCAL_BYTES = 30
/** The comment at the end has at most 65,535 bytes. */
const COMMENT_BYTES = 0xffff
const STORED = 0
const DEFLATED = 8

export interface ZipLimits {
  maxEntries: number
}

/** Whether bytes begin like an archive. */
export function isZip(bytes: Buffer): boolean {
  return bytes.length >= 4 && (bytes.readUInt32LE(0) === LOCAL || bytes.readUInt32LE(0) === END)
}

/**
 * Lists the files of an archive, without its folders. Only the directory at its end counts: what lies between the files is not read.
 * Encryption, several volumes and ZIP64 are refused.
 */
export function listZip(bytes: Buffer, { maxEntries }: ZipLimits): ZipEntry[] {
  const end = findEnd(bytes)
  const [disk, firstDisk, here, total] = [4, 6, 8, 10].map((at) => bytes.readUInt16LE(end + at))
  const [size, start] = [bytes.readUInt32LE(end + 12), bytes.readUInt32LE(end + 16)] as const
  if (total === 0xffff || size === 0xffff_ffff || start === 0xffff_ffff) throw unsupported('ZIP64')
  if (disk !== 0 || firstDisk !== 0 || here !== total) throw unsupported('several volumes')
  if (total! > maxEntries) throw new ZipError('too_many_entries', `the archive has more than ${maxEntries} entries`)
  if (start + size > end) throw damaged('its directory is not inside it')
  const entries: ZipEntry[] = []
  let at = start
  for (let i = 0; i < total!; i += 1) {
    if (at + CENTRAL_BYTES > end || bytes.readUInt32LE(at) !== CENTRAL) throw damaged('its directory is cut off')
    const lengths = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field))
    const next = at + CENTRAL_BYTES + lengths.reduce((sum, length) => sum + length, 0)
    if (next > end) throw damaged('an entry of its directory is cut off')
    const entry = readEntry(bytes, at, lengths[0]!)
    if (!entry.name.endsWith('/')) entries.push(entry)
    at = next
  }
  return entries
}

function readEntry(bytes: Buffer, at: number, nameBytes: number): ZipEntry {
  const flags = bytes.readUInt16LE(at + 8)
  const isUtf8 = (flags & 0x800) !== 0
  const name = bytes.toString(isUtf8 ? 'utf8' : 'latin1', at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes)
  // Bit 0: encrypted. Bit 13: the directory is encrypted.
  if ((flags & 0x2001) !== 0) throw new ZipError('encrypted', 'the archive is encrypted')
  const [crc, compressedBytes, size] = [16, 20, 24].map((field) => bytes.readUInt32LE(at + field))
  const offset = bytes.readUInt32LE(at + 42)
  if (compressedBytes === 0xffff_ffff || size === 0xffff_ffff || offset === 0xffff_ffff) throw unsupported('ZIP64')
  return {
    name,
    compressedBytes: compressedBytes!,
    bytes: size!,
    method: bytes.readUInt16LE(at + 10),
    crc: crc!,
    offset,
  }
}

/** Reads one file. Inflates no more than `maxBytes`, whatever the archive says about its size. */
export function readZipEntry(bytes: Buffer, entry: ZipEntry, maxBytes: number): Buffer {
  const { offset, compressedBytes } = entry
  if (entry.bytes > maxBytes) throw new ZipError('too_large', 'the files in the archive are too large')
  if (offset + LOCAL_BYTES > bytes.length || bytes.readUInt32LE(offset) !== LOCAL) throw damaged('a file is missing')
  // Name and extra field may differ from those of the directory.
  const start = offset + LOCAL_BYTES + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28)
  if (start + compressedBytes > bytes.length) throw damaged('a file is cut off')
  const content = inflate(bytes.subarray(start, start + compressedBytes), entry)
  if (content.length !== entry.bytes || crc32(content) !== entry.crc) throw damaged('a file is not what it says')
  return content
}

function inflate(content: Buffer, { method, bytes }: ZipEntry): Buffer {
  if (method === STORED) return content
  if (method !== DEFLATED) throw unsupported('its compression')
  try {
    // One byte more than the archive says: a larger file fails here, before it is in memory.
    return inflateRawSync(content, { maxOutputLength: bytes + 1 })
  } catch {
    // A file that is cut off, or larger than it says.
    throw damaged('a file cannot be decompressed')
  }
}

/** The record at the end, before its comment. Looks at each byte once. */
function findEnd(bytes: Buffer): number {
  const first = Math.max(0, bytes.length - END_BYTES - COMMENT_BYTES)
  for (let at = bytes.length - END_BYTES; at >= first; at -= 1)
    if (bytes.readUInt32LE(at) === END && at + END_BYTES + bytes.readUInt16LE(at + 20) === bytes.length) return at
  throw damaged('its end is missing')
}

const damaged = (why: string) => new ZipError('damaged', `the archive is damaged: ${why}`)
const unsupported = (what: string) => new ZipError('unsupported', `the archive uses ${what}`)
