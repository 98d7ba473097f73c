import type { Notice } from './protocol.ts'

/** Reports the running jobs of this process to the supervisor, so that a crash can be counted against them. */
export interface JobLedger {
  /** Runs work that counts as a job of this subject until it settles. `step` reports its progress. */
  track<Result>(subject: unknown, work: (step: (name: string) => void) => Promise<Result>): Promise<Result>
}

/** For processes without a supervisor. */
export const NO_LEDGER: JobLedger = { track: (_subject, work) => work(() => {}) }

/** How often an unchanged step is reported again, to show that the job makes progress. */
const REPEAT_MS = 5000

export function createJobLedger(send: (notice: Notice) => void): JobLedger {
  let lastJob = 0
  return {
    track: async (subject, work) => {
      const job = String((lastJob += 1))
      const reported = { step: '', atMs: performance.now() }
      send({ kind: 'begin', job, subject })
      try {
        return await work((step) => {
          const nowMs = performance.now()
          if (step === reported.step && nowMs - reported.atMs < REPEAT_MS) return
          Object.assign(reported, { step, atMs: nowMs })
          send({ kind: 'step', job, step })
        })
      } finally {
        send({ kind: 'end', job })
      }
    },
  }
}
