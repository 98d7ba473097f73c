import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { nameOf, type ProcessRun } from './grouping.ts'

/** Durations of test files in earlier runs on this machine, by report name. */
export function readDurations(file: string): Map<string, number> {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>))
  } catch {
    return new Map()
  }
}

export function writeDurations(file: string, seconds: Map<string, number>): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(Object.fromEntries(seconds)))
}

/**
 * Longest first, so that no long process runs alone at the end. Processes with a file without a recorded duration come
 * before all others.
 */
export function longestFirst(
  root: string,
  processes: ProcessRun[],
  seconds: ReadonlyMap<string, number>,
): ProcessRun[] {
  const of = ({ files }: ProcessRun) =>
    files.reduce((sum, file) => sum + (seconds.get(nameOf(root, file)) ?? Number.POSITIVE_INFINITY), 0)
  return processes.toSorted((a, b) => (of(a) === of(b) ? 0 : of(b) - of(a)))
}
