import type { Random } from '../base/random.ts'

const dayMs = 86_400_000

/** Times in whole seconds, newest first, denser towards the present like a real history. */
export function momentsBack(random: Random, count: number, nowMs: number, spanDays: number): number[] {
  const moments = Array.from({ length: count }, () => nowMs - 60_000 - random.float() ** 1.6 * spanDays * dayMs)
  return moments.map((ms) => Math.floor(ms / 1000) * 1000).sort((a, b) => b - a)
}
