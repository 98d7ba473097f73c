import { aboveAllowed, type Spent } from './allowance.ts'
import { type Counters, inSeconds } from './run-files.ts'
import type { Tier } from './tiers.ts'

export interface Whole {
  /** Unset where only some files were run. */
  tier: Tier | undefined
  spent: Spent
  seconds: number
  /** How much slower the machine is than that of the allowances. */
  slowness: number
}

/** Prints what a run of test files came to, and sets the exit code. */
export function printSummary(counters: Counters, { tier, spent, seconds, slowness }: Whole): void {
  const { passed, failed, skipped, files } = counters
  const say = (line: string) => process.stdout.write(`${line}\n`)
  say('')
  const dearest = [...files].toSorted(([, a], [, b]) => b.cpuSeconds - a.cpuSeconds).slice(0, 10)
  for (const [name, each] of dearest)
    say(`dearest: ${inSeconds(each.cpuSeconds)} of CPU, ${inSeconds(each.seconds)}  ${name}`)
  for (const name of new Set(skipped)) say(`skipped: ${name}`)
  if (tier !== undefined) {
    say(
      `CPU: ${spent.processes.toFixed(0)} s of processes, ${spent.databases.toFixed(0)} s of databases, machine × ${slowness.toFixed(2)}`,
    )
    const above = aboveAllowed(tier, spent, slowness)
    // Elsewhere a slow disk or another processor may be the reason.
    if (above !== undefined && process.env['CI'] !== undefined) failed.push(above)
    else if (above !== undefined) say(`too much: ${above}`)
  }
  for (const name of failed) say(`FAILED: ${name}`)
  say(`${passed} passed, ${failed.length} failed, ${skipped.length} skipped in ${seconds.toFixed(0)} s`)
  process.exitCode = failed.length === 0 ? 0 : 1
}
