import { encodeNumber, newId } from '#base/ids.ts'

// Unique by where and when the process started; then a counter, because chance for every request costs more than the rest of it.
const prefix = newId(Date.now())
let count = 0

export function nextRequestId(): string {
  count += 1
  return prefix + encodeNumber(count, 6)
}
