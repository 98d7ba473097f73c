import type { Clock } from '#platform/clock.ts'
import { encodeNumber, newId } from '#platform/ids.ts'

/** Unique by where and when it began; then a counter, because chance for every request costs more than the rest of it. */
export function createRequestIds(clock: Clock): () => string {
  const prefix = newId(clock.now())
  let count = 0
  return () => {
    count += 1
    return prefix + encodeNumber(count, 6)
  }
}
