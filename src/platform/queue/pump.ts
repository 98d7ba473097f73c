import { setTimeout as sleep } from 'node:timers/promises'
import type { Job, PgBoss } from 'pg-boss'
import { reasonOf } from '../errors.ts'
import type { Log } from '../telemetry/log.ts'
import { abortableSleep } from '../waiting/abortable-sleep.ts'

export interface PumpOptions {
  boss: PgBoss
  queue: string
  /** How many jobs run at a time. */
  slots: number
  heartbeatS: number
  /** How often it looks for jobs, soon after it found some. While it finds none, it waits twice as long each time, up to `idleMs`. */
  pollMs: number
  idleMs: number
  log: Log
  run: (job: Job<unknown>, signal: AbortSignal) => Promise<void>
}

export interface Pump {
  /** Fetches now instead of at the next poll, because a job was just queued. */
  fetchNow: () => void
  /** Fetches no more jobs, waits up to `graceMs` for running ones, and returns the rest to the queue. */
  stop: (graceMs: number) => Promise<void>
}

interface Claim {
  job: Job<unknown>
  controller: AbortController
}

/** The jobs that this process owns, by job id: running, or finished and not recorded yet. */
type Claims = Map<string, Claim>

/**
 * Debounce after a slot is freed: jobs that finish within this time share one fetch, which the engine sends unprepared, so that the
 * database plans it each time. The slots of a process are still refilled up to thirty times a second.
 */
const COALESCE_MS = 30
/** The same for recording how jobs finished. */
const GATHER_MS = 15
/** For aborted jobs to finish, before they are returned to the queue. */
const ABORT_GRACE_MS = 1000

/**
 * Keeps its slots filled from a queue. Each job finishes on its own: its slot takes the next job and its key can be woken again, however
 * long the other jobs take. Claims, retries and dead workers are handled by the engine; fetching and recording are batched.
 */
export function startPump({ boss, queue, slots, heartbeatS, pollMs, idleMs, log, run }: PumpOptions): Pump {
  const claims: Claims = new Map()
  const record = createRecorder(boss, queue, claims, log, () => endWait())
  const stopping = new AbortController()
  let busy = 0
  let waitMs = pollMs
  let onSlotFreed = () => {}
  let endWait = () => {}

  async function work(claim: Claim): Promise<void> {
    busy += 1
    const failure = await run(claim.job, claim.controller.signal).then(
      () => undefined,
      (error: unknown) => ({ error: reasonOf(error) }),
    )
    busy -= 1
    onSlotFreed()
    // A job that another worker took over is not ours to record.
    if (claims.get(claim.job.id) === claim) record(claim, failure)
  }

  /** Returns whether there may be more to fetch. */
  async function fetchJobs(): Promise<boolean> {
    const free = slots - busy
    if (free <= 0) return true
    const jobs = await boss.fetch<unknown>(queue, { batchSize: free })
    waitMs = jobs.length > 0 ? pollMs : Math.min(idleMs, waitMs * 2)
    for (const job of jobs) {
      const claim = { job, controller: new AbortController() }
      claims.set(job.id, claim)
      void work(claim)
    }
    return jobs.length === free
  }

  async function pump({ signal }: AbortController): Promise<void> {
    while (!signal.aborted) {
      // Created before the fetch, so that a job that is queued during the fetch is not left until the next poll.
      const wait = new AbortController()
      endWait = () => wait.abort()
      const freed = new Promise<void>((resolve) => {
        onSlotFreed = resolve
      })
      const hasMore = await fetchJobs().catch((error: unknown) => {
        log.warn('fetching jobs failed and is retried', { queue, error: reasonOf(error) })
        return false
      })
      if (busy >= slots) await freed
      await abortableSleep(hasMore ? COALESCE_MS : waitMs, wait.signal)
    }
  }

  const heartbeat = setInterval(() => void sendHeartbeat(boss, queue, claims, log), (heartbeatS * 1000) / 2)
  const pumping = pump(stopping)
  return {
    fetchNow: () => endWait(),
    stop: async (graceMs) => {
      stopping.abort()
      onSlotFreed()
      endWait()
      await pumping
      await waitUntilEmpty(claims, graceMs)
      for (const { controller } of claims.values()) controller.abort()
      await waitUntilEmpty(claims, ABORT_GRACE_MS)
      clearInterval(heartbeat)
      const left = [...claims.values()].map(({ job }) => job)
      claims.clear()
      if (left.length === 0) return
      // If this fails, others get the jobs later, when the heartbeat has been missing long enough.
      await boss.fail(queue, left, { error: 'the process ended' }).catch((error: unknown) => {
        log.warn('jobs could not be returned to the queue', { queue, jobs: left.length, error: reasonOf(error) })
      })
    },
  }
}

/** Limit: attempts to record finished jobs; then other workers run them again. */
const MAX_RECORD_TRIES = 10
const RETRY_MS = 1000

/** Records how jobs finished, one statement at a time; those that finish meanwhile share the next statement. */
function createRecorder(boss: PgBoss, queue: string, claims: Claims, log: Log, onReturned: () => void) {
  let waiting: { claim: Claim; failure: object | undefined }[] = []
  let isWriting = false

  async function write(finished: typeof waiting): Promise<void> {
    const succeeded = finished.filter(({ failure }) => failure === undefined).map(({ claim }) => claim.job)
    if (succeeded.length > 0) await boss.complete(queue, succeeded)
    const failed = finished.filter(({ failure }) => failure !== undefined)
    for (const { claim, failure } of failed) await boss.fail(queue, claim.job, failure)
    // They are in the queue again.
    if (failed.length > 0) onReturned()
  }

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      await sleep(GATHER_MS)
      const finished = waiting
      waiting = []
      // If the database stays unreachable, other workers run the jobs again, which is harmless.
      for (let left = MAX_RECORD_TRIES; left > 0; left -= 1) {
        const error = await write(finished).then(
          () => undefined,
          (reason: unknown) => ({ reason }),
        )
        if (error === undefined) break
        log.warn('finished jobs could not be recorded', { queue, jobs: finished.length, error: reasonOf(error.reason) })
        await sleep(RETRY_MS)
      }
      for (const { claim } of finished) if (claims.get(claim.job.id) === claim) claims.delete(claim.job.id)
    }
    isWriting = false
  }

  return (claim: Claim, failure: object | undefined) => {
    waiting.push({ claim, failure })
    if (isWriting) return
    isWriting = true
    void writeAll()
  }
}

/** Keeps the claims alive, and aborts the jobs that the engine gave to another worker. */
async function sendHeartbeat(boss: PgBoss, queue: string, claims: Claims, log: Log): Promise<void> {
  const touched = [...claims.values()]
  if (touched.length === 0) return
  const response = await boss
    .touch(
      queue,
      touched.map(({ job }) => job),
    )
    .catch((error: unknown) => {
      log.warn('the heartbeat of jobs failed', { queue, jobs: touched.length, error: reasonOf(error) })
      return undefined
    })
  const { settled } = (response ?? {}) as { settled?: string[] | null }
  // A heartbeat that failed says nothing about the claims.
  if (settled === undefined) return
  const stillOurs = new Set(settled)
  for (const claim of touched) {
    if (stillOurs.has(claim.job.id) || claims.get(claim.job.id) !== claim) continue
    claims.delete(claim.job.id)
    claim.controller.abort()
  }
}

async function waitUntilEmpty(claims: Claims, withinMs: number): Promise<void> {
  const until = performance.now() + withinMs
  while (claims.size > 0 && performance.now() < until) await sleep(20)
}
