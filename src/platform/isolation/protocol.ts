/** What a supervisor and its worker process say to each other. Sent by structured clone: plain values and buffers only. */

/** From the supervisor. */
export type Order =
  | { kind: 'boot'; boot: unknown }
  | { kind: 'task'; id: number; name: string; input: unknown }
  | { kind: 'cancel'; id: number }
  | { kind: 'stop' }

/** From the worker. */
export type Notice =
  | { kind: 'ready' }
  | { kind: 'beat'; memoryBytes: number; report: unknown }
  | { kind: 'begin'; job: string; subject: unknown }
  | { kind: 'step'; job: string; step: string }
  | { kind: 'end'; job: string }
  | { kind: 'result'; id: number; value: unknown }
  | { kind: 'failed'; id: number; message: string }

/** A job that a worker has begun and not ended. */
export interface HeldJob {
  /** What a death is counted against; the supervisor hands it on as it is. */
  subject: unknown
  /** Where in the job the worker was. */
  step: string
}

/** Why a worker ended without having been told to. */
export const DEATH_REASONS = ['crashed', 'stalled', 'memory', 'overtime', 'not_started'] as const
export type DeathReason = (typeof DEATH_REASONS)[number]

export interface Death {
  reason: DeathReason
  /** A sentence for people. */
  detail: string
  held: HeldJob[]
}

export interface WorkerLimits {
  /** Resident memory of the process. */
  memoryBytes: number
  /** Without a heartbeat. */
  stallMs: number
  /** A job without a step forward. */
  jobMs: number
  /** From the start of the process until it is ready. */
  bootMs: number
}

/** A task whose worker died; it may or may not have done its work. */
export class WorkerDied extends Error {
  override name = 'WorkerDied'
  readonly reason: DeathReason

  constructor({ reason, detail }: Pick<Death, 'reason' | 'detail'>) {
    super(detail)
    this.reason = reason
  }
}
