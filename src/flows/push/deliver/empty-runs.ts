import type { Clock } from '#platform/clock.ts'

const FIRST_WAIT_MS = 50
/** Limit: wait for the next run of a destination after runs that found nothing. */
const MAX_WAIT_MS = 1000

/** Which destinations wait because runs of this process found nothing to do there, although something is due. */
export interface EmptyRuns {
  isWaiting: (destinationId: string) => boolean
  ended: (destinationId: string, isEmpty: boolean) => void
}

/**
 * What is due may be what only another process can do now, or nobody: its events are being sent there, or the app is being deleted.
 * After each run without work the next one waits twice as long.
 */
export function createEmptyRuns(clock: Clock): EmptyRuns {
  const waits = new Map<string, { waitMs: number; untilMs: number }>()
  return {
    isWaiting: (id) => (waits.get(id)?.untilMs ?? 0) > clock.now(),
    ended: (id, isEmpty) => {
      const before = waits.get(id)
      waits.delete(id)
      if (!isEmpty) return
      const waitMs = Math.min(MAX_WAIT_MS, before === undefined ? FIRST_WAIT_MS : before.waitMs * 2)
      waits.set(id, { waitMs, untilMs: clock.now() + waitMs })
    },
  }
}
