/** Limit (sync): worker deaths that one endpoint of a profile or one destination may cause; then it is parked until it is resumed. */
export const MAX_DEATHS = 3

/** After a worker death its jobs run alone in a process for this long, so that the next death is attributed to the right one. */
export const ALONE_MS = 3_600_000

/** What a job works on; deaths of its worker are counted against it. */
export type JobSubject =
  | { kind: 'profile'; shard: number; profileId: string }
  | { kind: 'destination'; destinationId: string }

export interface WorkerDeath {
  reason: string
  detail: string
  /** The worker had no other job, so this one caused it. */
  alone: boolean
}

/** The text of `last_error` for the reason `worker_died`. */
export function deathMessage({ reason, detail }: WorkerDeath): string {
  return `The worker process ended (${reason}): ${detail}`
}
