import type { Clock } from '#platform/clock.ts'
import type { DueDestination } from '#store/push/due-destinations.ts'

/** A destination that stays due for so long has more to deliver than the runs in progress take. */
const BACKLOG_MS = 1000

/**
 * Returns a function that finds, among the destinations of each planning, those with a backlog: each at most once in this time.
 * A wake-up goes to whichever process asks first, also to one that has all the runs it may have. So every process looks for
 * backlogs itself, and one that joins takes part in a long delivery soon.
 */
export function createBacklogWatch(clock: Clock): (due: readonly DueDestination[]) => DueDestination[] {
  let dueSince = new Map<string, number>()
  return (due) => {
    const nowMs = clock.now()
    dueSince = new Map(due.map(({ destination: { id } }) => [id, dueSince.get(id) ?? nowMs]))
    const found = due.filter(({ destination: { id, state } }) => {
      // A failing destination has one run at a time, in whichever process.
      return state === 'active' && nowMs - (dueSince.get(id) ?? nowMs) >= BACKLOG_MS
    })
    for (const { destination } of found) dueSince.set(destination.id, nowMs)
    return found
  }
}
