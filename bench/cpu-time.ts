import { readdirSync, readFileSync } from 'node:fs'
import type { Client } from 'pg'
import { processTree } from '../test/chaos/process-tree.ts'

/** Linux reports processor time in hundredths of a second, whatever the kernel counts in. */
const TICK_MS = 10

/**
 * Processor time of a process, of its descendants, and of those descendants that have ended and were waited for: descendants that
 * end between two readings are not lost.
 */
export function cpuMs(pid: number): number {
  return processTree(pid).reduce((sum, each) => sum + ownCpuMs(each) + endedMs(each), 0)
}

/** Of one process, without its descendants. The error of a reading is a tick or two where the kernel shows nothing finer. */
export function ownCpuMs(pid: number): number {
  return threadsMs(pid) ?? ticksOf(pid, [USER, SYSTEM]) * TICK_MS
}

/** Of the connections to a database on this machine, by process: those of the application, or all others. */
export async function backendsCpuMs(
  server: Client,
  database: string,
  application: { is: string } | { not: string },
): Promise<Map<number, number>> {
  const [sign, name] = 'is' in application ? ['=', application.is] : ['<>', application.not]
  const { rows } = await server.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = $1 and backend_type = 'client backend' and application_name ${sign} $2`,
    [database, name],
  )
  return new Map(rows.map(({ pid }) => [pid, ownCpuMs(pid)]))
}

/** What a program and its connections to the database have used so far. */
export interface CpuReading {
  processesMs: number
  backends: Map<number, number>
}

/** A connection that was closed is left out: a pool closes those that were idle, so little is lost. */
export function cpuBetween(before: CpuReading, after: CpuReading): number {
  const backends = [...after.backends].map(([pid, ms]) => ms - (before.backends.get(pid) ?? 0))
  return backends.reduce((sum, ms) => sum + ms, after.processesMs - before.processesMs)
}

export function parentOf(pid: number): number {
  return Number(statOf(pid)[PARENT])
}

// Positions after the name of the program (proc(5), `stat`).
const PARENT = 1
const [USER, SYSTEM, ENDED_USER, ENDED_SYSTEM] = [11, 12, 13, 14] as const

function endedMs(pid: number): number {
  return ticksOf(pid, [ENDED_USER, ENDED_SYSTEM]) * TICK_MS
}

/** To the microsecond, from what the scheduler shows about each thread; undefined where it shows nothing. */
function threadsMs(pid: number): number | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const texts = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/sched`, 'utf8'))
    const times = texts.map((text) => Number(/^se\.sum_exec_runtime\s*:\s*(\S+)/m.exec(text)?.[1]))
    const sum = times.reduce((total, ms) => total + ms, 0)
    return Number.isNaN(sum) ? undefined : sum
  } catch {
    // It ended, or this kernel has no such file.
    return undefined
  }
}

function ticksOf(pid: number, positions: readonly number[]): number {
  try {
    const stat = statOf(pid)
    return positions.reduce((sum, position) => sum + Number(stat[position]), 0)
  } catch {
    // It ended after the tree was listed; its parent has its time from the next reading on.
    return 0
  }
}

/** The name of the program is in parentheses and may contain spaces. */
function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}
