import { type LabClock, movableClock } from '../base/clock.ts'

/**
 * What a simulator makes up depends on its seed and on the hour it starts at (a post may fall on either side of a page's
 * edge, the one deleted post may be quoted or not). Tests start at the same hour, so that they pass at every hour or at none.
 */
export function fromTheSameHour(): LabClock {
  return movableClock({ startMs: Date.UTC(2026, 5, 1, 12) })
}
