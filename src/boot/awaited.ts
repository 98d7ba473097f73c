import { jobsOf } from '#platform/queue/jobs.ts'
import type { QueueName } from '#store/queues.ts'

/** The tables whose writes make something due, for each loop. */
export const AWAITED = {
  syncs: ['profile_sync'],
  hooks: ['hook_subscription'],
  deletions: ['app_deletion', 'deletion_request'],
  deliveries: ['destination', 'delivery_cursor', 'push_event'],
  /** What a worker on demand is started for. */
  demand: ['destination', jobsOf('alone' satisfies QueueName)],
} as const satisfies Record<string, readonly string[]>

/** All of them: processes tell each other when they wrote there. */
export const ALL_AWAITED: readonly string[] = [...new Set(Object.values(AWAITED).flat())]
