import { type Counters, inSeconds } from './run-files.ts'

/** Prints what a run of test files came to, and sets the exit code. */
export function printSummary(counters: Counters): void {
  process.stdout.write('\n')
  const slowest = [...counters.seconds].toSorted(([, a], [, b]) => b - a).slice(0, 10)
  for (const [name, seconds] of slowest) process.stdout.write(`slowest: ${inSeconds(seconds)}  ${name}\n`)
  for (const name of new Set(counters.skipped)) process.stdout.write(`skipped: ${name}\n`)
  for (const name of counters.failed) process.stdout.write(`FAILED: ${name}\n`)
  process.stdout.write(
    `${counters.passed} passed, ${counters.failed.length} failed, ${counters.skipped.length} skipped\n`,
  )
  process.exitCode = counters.failed.length === 0 ? 0 : 1
}
