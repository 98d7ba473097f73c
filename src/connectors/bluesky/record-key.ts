const DIGITS = '234567abcdefghijklmnopqrstuvwxyz'

/**
 * When a record was added, from its key: a TID, which has 53 bits of microseconds and 10 of a clock id. Listings are in the
 * order of the keys, not of `createdAt`, which may be any time. 0 for a key of another kind.
 */
export function addedAt({ uri }: { uri: string }): number {
  const key = uri.slice(uri.lastIndexOf('/') + 1)
  if (!/^[2-7a-j][2-7a-z]{12}$/.test(key)) return 0
  // The last two digits are the clock id.
  let micros = 0
  for (const digit of key.slice(0, -2)) micros = micros * 32 + DIGITS.indexOf(digit)
  return Math.floor(micros / 1000)
}
