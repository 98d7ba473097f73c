import type { DestinationKind } from '#model/destination.ts'

/** What one process has delivered since it started, to destinations of one kind. */
export interface Tally {
  rows: number
  batches: number
  failures: number
  deadLetters: number
}

export type KindTally = [kind: DestinationKind, tally: Tally]

export interface Tallies {
  of(kind: DestinationKind): Tally
  all(): KindTally[]
}

export function createTallies(): Tallies {
  const tallies = new Map<DestinationKind, Tally>()
  return {
    of: (kind) => {
      const known = tallies.get(kind) ?? { rows: 0, batches: 0, failures: 0, deadLetters: 0 }
      tallies.set(kind, known)
      return known
    },
    all: () => [...tallies],
  }
}

/** Those of several processes together. */
export function sumTallies(reports: KindTally[][]): KindTally[] {
  const sums = createTallies()
  for (const [kind, tally] of reports.flat()) {
    const sum = sums.of(kind)
    sum.rows += tally.rows
    sum.batches += tally.batches
    sum.failures += tally.failures
    sum.deadLetters += tally.deadLetters
  }
  return sums.all()
}
