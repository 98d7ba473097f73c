/** The tables whose writes make something due, for each loop. */
export const AWAITED = {
  syncs: ['profile_sync'],
  hooks: ['hook_subscription'],
  deletions: ['app_deletion', 'deletion_request'],
  deliveries: ['destination', 'delivery_cursor', 'push_event'],
  /** Work with which a worker died. */
  alone: ['profile_sync', 'destination'],
  /** What a worker on demand is started for. */
  demand: ['destination'],
} as const satisfies Record<string, readonly string[]>

/** All of them: processes tell each other when they wrote there. */
export const ALL_AWAITED: readonly string[] = [...new Set(Object.values(AWAITED).flat())]
