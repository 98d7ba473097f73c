import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { abortableSleep } from '#platform/waiting/abortable-sleep.ts'
import { createWakeableSleep } from '#platform/waiting/wakeable-sleep.ts'
import type { WriteWatch } from '#platform/waiting/write-watch.ts'

/** The interval while there is due work. */
const BUSY_EVERY_MS = 100
/** Limit: time between two looks for due work; what others wrote, or nobody told about, is found after this time. */
export const MAX_IDLE_MS = 3000

export type LoopName = 'syncs' | 'alone' | 'deletions' | 'rereads' | 'hooks' | 'deliveries' | 'maintenance'
/** Called after each look with the amount of due work it found and has in progress; the loop goes on when what it returns has resolved. */
export type OnPlanned = (loop: LoopName, due: number) => void | Promise<void>

/** What all loops of a process share. */
export interface LoopDeps {
  clock: Clock
  log: Log
  writes: WriteWatch
  idleMs?: number | undefined
  onPlanned?: OnPlanned | undefined
}

interface Loop {
  name: LoopName
  /** The interval while there may be something due. */
  everyMs: number
  /** The tables whose writes may make something due. */
  tables: readonly string[]
  /** The interval after a look that found something; absent: `BUSY_EVERY_MS`. */
  busyEveryMs?: () => number
  /** How many times `MAX_IDLE_MS` it sleeps, where nobody waits for what other processes wrote. */
  patience?: number
  /** Returns how much was due. */
  plan: () => Promise<number>
  /** How many runs that it began are in progress. */
  open?: () => number
  /** Whether nothing is due until then, unless one of the tables is written. Absent: it is planned at each interval. */
  nothingDueUntil?: (untilMs: number) => Promise<boolean>
}

/**
 * Plans again and again; errors, such as an unreachable database, are logged and retried. While nothing is due it sleeps until one of
 * its tables is written, at most `MAX_IDLE_MS`. Returns a function that stops it.
 */
export function startPlanningLoop(deps: LoopDeps, loop: Loop) {
  const { name, everyMs, busyEveryMs = () => BUSY_EVERY_MS, patience = 1, tables, plan, open, nothingDueUntil } = loop
  const { clock, log, writes, onPlanned } = deps
  const idleMs = (deps.idleMs ?? MAX_IDLE_MS) * patience
  const stopping = new AbortController()
  const { signal } = stopping
  /** Until then, by the clock, nothing is due. */
  let quietUntilMs = 0
  /** A loop with work that may not run yet, for example because of a rate limit, does not ask each time whether it can sleep. */
  let looksUntilAsking = 0
  const { wake, isWoken, forget, sleep } = createWakeableSleep()

  const ask = async () => {
    const untilMs = clock.now() + idleMs
    const isQuiet = (await nothingDueUntil?.(untilMs)) === true
    quietUntilMs = isQuiet ? untilMs : 0
    if (!isQuiet) looksUntilAsking = idleMs / everyMs
  }
  const look = async (): Promise<number> => {
    const wasQuiet = quietUntilMs > 0 && !isWoken()
    forget()
    if (wasQuiet) await ask()
    if (wasQuiet && quietUntilMs > 0) return 0
    quietUntilMs = 0
    const due = await plan()
    looksUntilAsking = due > 0 ? 0 : looksUntilAsking - 1
    if (due === 0 && looksUntilAsking <= 0) await ask()
    return due
  }
  /** In short parts, because the clock may be set meanwhile. */
  const sleepWhileQuiet = async () => {
    for (let leftMs = idleMs - everyMs; leftMs > 0; leftMs -= everyMs) {
      if (isWoken() || signal.aborted || clock.now() >= quietUntilMs) return
      await sleep(Math.min(everyMs, leftMs))
    }
  }
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const due = await look().catch((error: unknown) => {
        log.warn(`planning ${name} failed and is retried`, { error })
        quietUntilMs = 0
        return undefined
      })
      if (due !== undefined) await onPlanned?.(name, due + (open?.() ?? 0))
      await abortableSleep((due ?? 0) > 0 ? busyEveryMs() : everyMs, signal)
      if (quietUntilMs > 0) await sleepWhileQuiet()
    }
  }
  const unsubscribe = writes.on(tables, wake)
  const running = run()
  return async (): Promise<void> => {
    unsubscribe()
    stopping.abort()
    wake()
    await running
  }
}
