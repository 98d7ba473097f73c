import { readFileSync } from 'node:fs'

const PAGE_BYTES = 4096

/** Resident memory of another process, as the kernel counts it; undefined where that cannot be read. */
export function residentBytes(pid: number): number | undefined {
  try {
    // The second number of statm is resident pages. It also works for a process that is stuck.
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ', 2)[1])
    return Number.isFinite(pages) ? pages * PAGE_BYTES : undefined
  } catch {
    // It has ended, or this system has no /proc: then what the worker tells of itself counts.
    return undefined
  }
}
