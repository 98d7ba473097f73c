import { readFileSync } from 'node:fs'
import { processTree } from '../test/chaos/process-tree.ts'

/** Linux reports processor time in hundredths of a second, whatever the kernel counts in. */
const TICK_MS = 10

/**
 * Processor time of a process, of its descendants, and of those descendants that have ended and were waited for. The error of one
 * reading is at most one tick for each live process; descendants that end between two readings are not lost.
 */
export function cpuMs(pid: number): number {
  return processTree(pid).reduce((sum, each) => sum + ticksOf(each), 0) * TICK_MS
}

export function parentOf(pid: number): number {
  return Number(statOf(pid)[PARENT])
}

// Positions after the name of the program (proc(5), `stat`).
const PARENT = 1
const [USER, SYSTEM, ENDED_USER, ENDED_SYSTEM] = [11, 12, 13, 14] as const

function ticksOf(pid: number): number {
  try {
    const stat = statOf(pid)
    return [USER, SYSTEM, ENDED_USER, ENDED_SYSTEM].reduce((sum, position) => sum + Number(stat[position]), 0)
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
