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

/** Those of several processes together; what a worker reports is what its `allTallies` gave. */
export function sumTallies(reports: unknown[]): [string, Tally][] {
  const sums = new Map<string, Tally>()
  for (const [kind, tally] of (reports as [DestinationKind, Tally][][]).flat()) {
    const sum = sums.get(kind) ?? { rows: 0, batches: 0, failures: 0, deadLetters: 0 }
    sum.rows += tally.rows
    sum.batches += tally.batches
    sum.failures += tally.failures
    sum.deadLetters += tally.deadLetters
    sums.set(kind, sum)
  }
  return [...sums]
}

export function allTallies(): [DestinationKind, Tally][] {
  return [...tallies]
}
