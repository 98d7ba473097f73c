const ID_BYTES = 16
/** Limit: ids of a listing that are remembered to find what is gone; in a longer list deletes are not looked for. */
const MAX_KEPT = 500_000

/** Ids of 32 hex digits, as bytes; undefined when there are too many. */
export function packSeen(seen: Set<string>): Buffer | undefined {
  if (seen.size > MAX_KEPT) return undefined
  const bytes = Buffer.allocUnsafe(seen.size * ID_BYTES)
  let at = 0
  for (const id of seen) at += bytes.write(id, at, 'hex')
  return bytes
}

export function unpackSeen(bytes: Buffer): Set<string> {
  const text = bytes.toString('hex')
  const seen = new Set<string>()
  for (let at = 0; at < text.length; at += 2 * ID_BYTES) seen.add(text.slice(at, at + 2 * ID_BYTES))
  return seen
}
