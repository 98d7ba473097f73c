/** Limit: worker deaths that one endpoint of a profile or one destination may cause; then it is parked until somebody asks for it. */
export const MAX_DEATHS = 3

/** After a death the work runs alone in a process for so long, so that only what is at fault is counted again. */
export const ALONE_MS = 3_600_000

/** What a job works on, so that the death of its worker can be counted against it. */
export type JobSubject =
  | { kind: 'profile'; shard: number; profileId: string; queue: 'sync' | 'alone'; jobId: string }
  | { kind: 'destination'; destinationId: string; queue?: 'alone'; jobId?: string }

export interface WorkerDeath {
  reason: string
  detail: string
  /** It had nothing else at work: this job alone is to blame. */
  alone: boolean
}

/** What an app or operator reads in `last_error`, beside the reason `worker_died`. */
export function deathMessage({ reason, detail }: WorkerDeath): string {
  return `The process that worked on it ended (${reason}): ${detail}`
}
