import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type FileRun, nameOf } from './run-files.ts'

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
 * Longest first, so that no long file runs alone at the end. Files without a recorded duration come before all
 * others.
 */
export function longestFirst(root: string, files: FileRun[], seconds: Map<string, number>): FileRun[] {
  const of = (file: FileRun) => seconds.get(nameOf(root, file)) ?? Number.POSITIVE_INFINITY
  return files.toSorted((a, b) => (of(a) === of(b) ? 0 : of(b) - of(a)))
}
