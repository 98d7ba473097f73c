import { readFileSync } from 'node:fs'

const PAGE_BYTES = 4096

/** Resident memory of another process according to the kernel; undefined where that cannot be read. */
export function residentBytes(pid: number): number | undefined {
  try {
    // The second number of statm is the number of resident pages. This also works for a process that hangs.
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ', 2)[1])
    return Number.isFinite(pages) ? pages * PAGE_BYTES : undefined
  } catch {
    // It has ended, or this system has no /proc; the caller uses the value of the last heartbeat.
    return undefined
  }
}
