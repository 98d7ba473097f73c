import type { Clock } from '#platform/clock.ts'
import { encodeNumber, newId } from '#platform/crypto/ids.ts'

/** A unique prefix per process and a counter, because a random number per request costs more than the rest of the request. */
export function createRequestIds(clock: Clock): () => string {
  const prefix = newId(clock.now())
  let count = 0
  return () => {
    count += 1
    return prefix + encodeNumber(count, 6)
  }
}
