import type { Notice } from './protocol.ts'

/** Tells the supervisor which jobs this process has at work, so that a death can be counted against them. */
export interface JobLedger {
  /** Runs work that counts as a job of this subject until it settles. `step` says where in it we are. */
  hold<Result>(subject: unknown, work: (step: (name: string) => void) => Promise<Result>): Promise<Result>
}

/** Where nobody supervises. */
export const NO_LEDGER: JobLedger = { hold: (_subject, work) => work(() => {}) }

/** The same step again is told this often: it shows that the job moves. */
const REPEAT_MS = 5000

export function createJobLedger(send: (notice: Notice) => void): JobLedger {
  let last = 0
  return {
    hold: async (subject, work) => {
      const job = String((last += 1))
      const told = { step: '', atMs: performance.now() }
      send({ kind: 'begin', job, subject })
      try {
        return await work((step) => {
          const nowMs = performance.now()
          if (step === told.step && nowMs - told.atMs < REPEAT_MS) return
          Object.assign(told, { step, atMs: nowMs })
          send({ kind: 'step', job, step })
        })
      } finally {
        send({ kind: 'end', job })
      }
    },
  }
}
