import type { Destination } from '#model/apps/destination.ts'

/** What one process has delivered to destinations of one kind since it started. */
export interface Counters {
  rows: number
  batches: number
  failures: number
  deadLetters: number
}

export type KindCounters = [kind: Destination['kind'], counters: Counters]

export interface PushCounters {
  of(kind: Destination['kind']): Counters
  all(): KindCounters[]
}

export function createPushCounters(): PushCounters {
  const byKind = new Map<Destination['kind'], Counters>()
  return {
    of: (kind) => {
      const known = byKind.get(kind) ?? { rows: 0, batches: 0, failures: 0, deadLetters: 0 }
      byKind.set(kind, known)
      return known
    },
    all: () => [...byKind],
  }
}

/** The sums over several processes. */
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
