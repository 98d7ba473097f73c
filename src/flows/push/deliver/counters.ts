import type { DestinationKind } from '#model/destination.ts'

/** What one process has delivered since it started, to destinations of one kind. */
export interface Counters {
  rows: number
  batches: number
  failures: number
  deadLetters: number
}

export type KindCounters = [kind: DestinationKind, counters: Counters]

export interface PushCounters {
  of(kind: DestinationKind): Counters
  all(): KindCounters[]
}

export function createPushCounters(): PushCounters {
  const allOfKinds = new Map<DestinationKind, Counters>()
  return {
    of: (kind) => {
      const known = allOfKinds.get(kind) ?? { rows: 0, batches: 0, failures: 0, deadLetters: 0 }
      allOfKinds.set(kind, known)
      return known
    },
    all: () => [...allOfKinds],
  }
}

/** Those of several processes together. */
export function sumCounters(reports: KindCounters[][]): KindCounters[] {
  const sums = createPushCounters()
  for (const [kind, counters] of reports.flat()) {
    const sum = sums.of(kind)
    sum.rows += counters.rows
    sum.batches += counters.batches
    sum.failures += counters.failures
    sum.deadLetters += counters.deadLetters
  }
  return sums.all()
}
