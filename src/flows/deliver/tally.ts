import type { DestinationKind } from '#model/destination.ts'

/** What this process has delivered since it started, by kind of destination. */
export interface Tally {
  rows: number
  batches: number
  failures: number
  deadLetters: number
}

const tallies = new Map<DestinationKind, Tally>()

export function tallyOf(kind: DestinationKind): Tally {
  const known = tallies.get(kind) ?? { rows: 0, batches: 0, failures: 0, deadLetters: 0 }
  tallies.set(kind, known)
  return known
}

export function allTallies(): [DestinationKind, Tally][] {
  return [...tallies]
}
