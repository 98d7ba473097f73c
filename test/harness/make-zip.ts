import { crc32, deflateRawSync } from 'node:zlib'

/** A file of an archive; what is given besides the content makes the archive wrong in that way. */
export interface ZipFile {
  name: string
  content: string | Buffer
  /** Not compressed. */
  stored?: boolean
  method?: number
  flags?: number
  /** The size that the directory says. */
  size?: number
  crc?: number
  offset?: number
}

/** Writes an archive as other programs do, or a wrong one. `repeat`: how often the directory lists its files. */
export function makeZip(
  files: ZipFile[],
  end: { entries?: number; comment?: string; repeat?: number } = {},
): Buffer<ArrayBuffer> {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const { name, content, stored = false, method, flags = 0x800, size, crc, offset } of files) {
    const bytes = Buffer.from(content)
    const packed = stored ? bytes : deflateRawSync(bytes)
    const header = Buffer.alloc(26)
    header.writeUInt16LE(20, 0)
    header.writeUInt16LE(flags, 2)
    header.writeUInt16LE(method ?? (stored ? 0 : 8), 4)
    header.writeUInt32LE(crc ?? crc32(bytes), 10)
    header.writeUInt32LE(packed.length, 14)
    header.writeUInt32LE(size ?? bytes.length, 18)
    header.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), header, Buffer.from(name), packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset ?? at, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), header, rest, Buffer.from(name))
    parts.push(local)
    at += local.length
  }
  const repeat = end.repeat ?? 1
  const central = Buffer.concat(Array.from({ length: repeat }, () => directory).flat())
  const comment = Buffer.from(end.comment ?? '')
  const tail = Buffer.alloc(22)
  tail.write('PK\x05\x06', 'latin1')
  tail.writeUInt16LE(end.entries ?? files.length * repeat, 8)
  tail.writeUInt16LE(end.entries ?? files.length * repeat, 10)
  tail.writeUInt32LE(central.length, 12)
  tail.writeUInt32LE(at, 16)
  tail.writeUInt16LE(comment.length, 20)
  return Buffer.concat([...parts, central, tail, comment])
}
