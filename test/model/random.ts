/** A source of random choices that a seed determines. */
export interface Random {
  /** From 0 to below `end`. */
  below: (end: number) => number
  chance: (share: number) => boolean
  pick: <Value>(values: readonly Value[]) => Value
}

/** Mulberry32: small, and the same on every machine. */
export function seeded(seed: number): Random {
  let state = seed | 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number) => Math.floor(next() * end)
  return { below, chance: (share) => next() < share, pick: (values) => values[below(values.length)]! }
}
