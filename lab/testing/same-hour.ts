import { type LabClock, movableClock } from '../base/clock.ts'

/**
 * A simulator's data depends on its seed and on its start time (a post may fall on either side of a page's
 * edge, a deleted post may be quoted or not). Tests use a fixed start time, so their result does not depend on the hour.
 */
export function fromTheSameHour(): LabClock {
  return movableClock({ startMs: Date.UTC(2026, 5, 1, 12) })
}
