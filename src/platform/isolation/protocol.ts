/** The messages between a supervisor and its worker process. Sent by structured clone: plain values and buffers only. */

/** From the supervisor. */
export type Order =
  | { kind: 'boot'; boot: unknown }
  | { kind: 'task'; id: number; name: string; input: unknown }
  | { kind: 'cancel'; id: number }
  | { kind: 'written'; names: string[] }
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
  | { kind: 'written'; names: string[] }

/** A job that a worker has started and not finished. */
export interface HeldJob {
  /** What a death is counted against; opaque to the supervisor. */
  subject: unknown
  /** The last step that the job reported. */
  step: string
}

/** Why a worker ended without an order to stop. */
export const DEATH_REASONS = ['crashed', 'stalled', 'memory', 'overtime', 'not_started'] as const
export type DeathReason = (typeof DEATH_REASONS)[number]

export interface Death {
  reason: DeathReason
  /** A sentence for operators. */
  detail: string
  held: HeldJob[]
}

export interface WorkerLimits {
  /** Maximum resident memory of the process. */
  memoryBytes: number
  /** Longest time without a heartbeat. */
  stallMs: number
  /** Longest time without progress of a job. */
  jobMs: number
  /** Longest time from the start of the process until it is ready. */
  bootMs: number
}

/** The error of a task whose worker died; the task may have been done or not. */
export class WorkerDied extends Error {
  override name = 'WorkerDied'
  readonly reason: DeathReason

  constructor({ reason, detail }: Pick<Death, 'reason' | 'detail'>) {
    super(detail)
    this.reason = reason
  }
}
