import { randomBytes } from 'node:crypto'

/** Reproducible random numbers: the same seed generates the same data. */
export interface Random {
  float(): number
  int(min: number, max: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  some<T>(list: readonly T[], count: number): T[]
  fork(label: string): Random
}

export function seededRandom(seed: number | string): Random {
  let state = hash(String(seed))
  const float = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const int = (min: number, max: number) => min + Math.floor(float() * (max - min + 1))
  const pick = <T>(list: readonly T[]): T => list[int(0, list.length - 1)] as T
  return {
    float,
    int,
    pick,
    chance: (probability) => float() < probability,
    some(list, count) {
      const rest = [...list]
      const taken = []
      while (taken.length < count && rest.length > 0) taken.push(...rest.splice(int(0, rest.length - 1), 1))
      return taken
    },
    fork: (label) => seededRandom(`${seed}/${label}`),
  }
}

function hash(text: string): number {
  let value = 2_166_136_261
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 16_777_619)
  return value | 0
}

/** Tokens and codes are not seeded: a restarted lab must not accept tokens of an earlier run. */
export const secret = (bytes = 24): string => randomBytes(bytes).toString('base64url')
