const ID_BYTES = 16
/**
 * Limit: ids of a listing that are kept between two runs to find deleted items; in a longer listing deletes are not
 * detected.
 */
const MAX_SEEN_IDS = 500_000

/** Packs ids of 32 hex digits into bytes; undefined when there are too many. */
export function packSeenIds(seen: Set<string>): Buffer | undefined {
  if (seen.size > MAX_SEEN_IDS) return undefined
  const bytes = Buffer.allocUnsafe(seen.size * ID_BYTES)
  let at = 0
  for (const id of seen) at += bytes.write(id, at, 'hex')
  return bytes
}

export function unpackSeenIds(bytes: Buffer): Set<string> {
  const text = bytes.toString('hex')
  const seen = new Set<string>()
  for (let at = 0; at < text.length; at += 2 * ID_BYTES) seen.add(text.slice(at, at + 2 * ID_BYTES))
  return seen
}
