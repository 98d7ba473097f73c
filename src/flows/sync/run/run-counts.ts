/** How a run of a profile ended: also when the profile was not scheduled any more, or when the run failed with an error. */
export const RUN_ENDS = ['finished', 'lease_lost', 'not_scheduled', 'failed'] as const
export type RunEnd = (typeof RUN_ENDS)[number]

export type RunCounts = Record<RunEnd, number>

/** How many runs one process has ended since it started. */
export function createRunCounts(): RunCounts {
  return { finished: 0, lease_lost: 0, not_scheduled: 0, failed: 0 }
}

/** The sums over several processes. */
export function sumRunCounts(counts: readonly RunCounts[]): RunCounts {
  const sums = createRunCounts()
  for (const each of counts) for (const end of RUN_ENDS) sums[end] += each[end]
  return sums
}
