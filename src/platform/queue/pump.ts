import { setTimeout as sleep } from 'node:timers/promises'
import type { Job, PgBoss } from 'pg-boss'
import { reasonOf } from '../errors.ts'
import { pause } from '../pause.ts'
import type { Log } from '../telemetry/log.ts'

export interface PumpOptions {
  boss: PgBoss
  queue: string
  /** Jobs at work at one time. */
  slots: number
  heartbeatS: number
  log: Log
  run: (job: Job<unknown>, signal: AbortSignal) => Promise<void>
}

export interface Pump {
  /** Takes nothing more, waits so long for what is at work, and gives the rest back for others to run. */
  stop: (graceMs: number) => Promise<void>
}

interface Held {
  job: Job<unknown>
  ending: AbortController
}

/** Everything this process has a claim on, by the job's id: at work, or ended and not written yet. */
type Claims = Map<string, Held>

const POLL_MS = 500
/** After a slot is free, so that others that end with it share the look for new jobs. */
const GATHER_MS = 10
/** For jobs that were told to end, before others get them. */
const LAST_WORD_MS = 1000

/**
 * Keeps its slots filled from a queue. Each job ends by itself: its slot takes the next one and its key may be woken again, however
 * long its neighbours take. Claims, fences, retries and dead workers are the engine's; taking and ending go many at a time.
 */
export function startPump({ boss, queue, slots, heartbeatS, log, run }: PumpOptions): Pump {
  const claims: Claims = new Map()
  const settle = createSettler(boss, queue, claims, log)
  const stopping = new AbortController()
  let busy = 0
  let slotFreed = () => {}

  async function work(held: Held): Promise<void> {
    busy += 1
    const failure = await run(held.job, held.ending.signal).then(
      () => undefined,
      (error: unknown) => ({ error: reasonOf(error) }),
    )
    busy -= 1
    slotFreed()
    // Whoever lost the claim says nothing more about the job.
    if (claims.get(held.job.id) === held) settle(held, failure)
  }

  /** Whether there may be more to take. */
  async function take(): Promise<boolean> {
    const free = slots - busy
    if (free <= 0) return true
    const jobs = await boss.fetch<unknown>(queue, { batchSize: free })
    for (const job of jobs) {
      const held = { job, ending: new AbortController() }
      claims.set(job.id, held)
      void work(held)
    }
    return jobs.length === free
  }

  async function pump({ signal }: AbortController): Promise<void> {
    while (!signal.aborted) {
      const freed = new Promise<void>((resolve) => {
        slotFreed = resolve
      })
      const isMore = await take().catch((error: unknown) => {
        log.warn('taking jobs failed and goes on', { queue, error: reasonOf(error) })
        return false
      })
      if (busy >= slots) await freed
      await pause(isMore ? GATHER_MS : POLL_MS, signal)
    }
  }

  const beating = setInterval(() => void beat(boss, queue, claims, log), (heartbeatS * 1000) / 2)
  const pumping = pump(stopping)
  return {
    stop: async (graceMs) => {
      stopping.abort()
      slotFreed()
      await pumping
      await emptied(claims, graceMs)
      for (const { ending } of claims.values()) ending.abort()
      await emptied(claims, LAST_WORD_MS)
      clearInterval(beating)
      const left = [...claims.values()].map(({ job }) => job)
      claims.clear()
      if (left.length === 0) return
      // Without it they are taken up by others all the same, when the heartbeat has been missing long enough.
      await boss.fail(queue, left, { error: 'the process ended' }).catch((error: unknown) => {
        log.warn('jobs could not be given back', { queue, jobs: left.length, error: reasonOf(error) })
      })
    },
  }
}

const TRIES = 10
const AGAIN_MS = 1000

/** Writes how jobs ended, one statement at a time; those that end meanwhile go together into the next. */
function createSettler(boss: PgBoss, queue: string, claims: Claims, log: Log) {
  let waiting: { held: Held; failure: object | undefined }[] = []
  let isWriting = false

  async function write(ended: typeof waiting): Promise<void> {
    const good = ended.filter(({ failure }) => failure === undefined).map(({ held }) => held.job)
    if (good.length > 0) await boss.complete(queue, good)
    for (const { held, failure } of ended) if (failure !== undefined) await boss.fail(queue, held.job, failure)
  }

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const ended = waiting
      waiting = []
      // A database that is away: after some tries others run them again, which is harmless.
      for (let left = TRIES; left > 0; left -= 1) {
        const error = await write(ended).then(
          () => undefined,
          (reason: unknown) => ({ reason }),
        )
        if (error === undefined) break
        log.warn('the end of jobs could not be written', { queue, jobs: ended.length, error: reasonOf(error.reason) })
        await sleep(AGAIN_MS)
      }
      for (const { held } of ended) if (claims.get(held.job.id) === held) claims.delete(held.job.id)
    }
    isWriting = false
  }

  return (held: Held, failure: object | undefined) => {
    waiting.push({ held, failure })
    if (isWriting) return
    isWriting = true
    void writeAll()
  }
}

/** Tells the engine that we live. A job that it gave to somebody else meanwhile is to end here. */
async function beat(boss: PgBoss, queue: string, claims: Claims, log: Log): Promise<void> {
  const held = [...claims.values()]
  if (held.length === 0) return
  const response = await boss
    .touch(
      queue,
      held.map(({ job }) => job),
    )
    .catch((error: unknown) => {
      log.warn('the heartbeat of jobs failed', { queue, jobs: held.length, error: reasonOf(error) })
      return undefined
    })
  const { settled } = (response ?? {}) as { settled?: string[] | null }
  // A beat that did not get through says nothing about claims.
  if (settled === undefined) return
  const ours = new Set(settled)
  for (const each of held) {
    if (ours.has(each.job.id) || claims.get(each.job.id) !== each) continue
    claims.delete(each.job.id)
    each.ending.abort()
  }
}

async function emptied(claims: Claims, withinMs: number): Promise<void> {
  const until = performance.now() + withinMs
  while (claims.size > 0 && performance.now() < until) await sleep(20)
}
