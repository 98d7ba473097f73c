/** Pseudo-random numbers, the same for the same seed, so that a run can be repeated. */
export interface Random {
  next(): number
  below(n: number): number
  pick<Value>(values: readonly Value[]): Value
  isOneIn(n: number): boolean
}

export function seeded(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (n: number) => Math.floor(next() * n)
  return { next, below, pick: (values) => values[below(values.length)]!, isOneIn: (n) => below(n) === 0 }
}
