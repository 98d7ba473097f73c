import { hash } from 'node:crypto'

const PREFIX_BYTES = 4

/** The hash of a record as it is stored with its item: the prefix of the stream, then the content. */
export function hashRecord(prefix: number, text: string): Buffer {
  const bytes = Buffer.allocUnsafe(20)
  bytes.writeUInt32BE(prefix)
  hash('sha1', text, 'buffer').copy(bytes, PREFIX_BYTES, 0, 16)
  return bytes
}

/** The part of a record's hash that depends on its content alone; quarantined records are stored under it. */
export function contentHash(recordHash: Buffer): string {
  return recordHash.toString('hex', PREFIX_BYTES)
}
