import { createHash } from 'node:crypto'
import type { Tier } from './tiers.ts'

/**
 * Processor time that a tier may take, of its processes and of the database servers together, on a machine that takes
 * `REFERENCE_MS` for the measure below: what was measured, and a third more. Seconds of the processor hardly depend on what
 * else the machine does. A commit that raises it says why that is worth everybody's time.
 */
export const ALLOWED_SECONDS: Record<Tier, number> = { test: 1650, system: 4500, nightly: Number.POSITIVE_INFINITY }
const REFERENCE_MS = 75
const MEASURE_EVERY_MS = 10_000

export interface Spent {
  /** Seconds of the processor. */
  processes: number
  databases: number
}

/**
 * Measures, while tests run, how much slower this machine is than that of these numbers: the median, and at least 1, because a faster
 * machine is allowed no less. Measured before or after the tests, it would not show that virtual cores share one that is real.
 */
export function watchSlowness(): () => number {
  const measures = [measureMs()]
  const timer = setInterval(() => measures.push(measureMs()), MEASURE_EVERY_MS).unref()
  return () => {
    clearInterval(timer)
    const sorted = measures.toSorted((one, other) => one - other)
    return Math.max(1, sorted[Math.floor(sorted.length / 2)]! / REFERENCE_MS)
  }
}

/** Text, hashes and memory, as tests use them. */
function measureMs(): number {
  const before = process.cpuUsage()
  let text = ''
  for (let n = 0; n < 10; n += 1) {
    const rows = Array.from({ length: 2000 }, (_, i) => ({ id: i * n, name: `row ${i}`, nested: { at: i, text } }))
    text = createHash('sha256')
      .update(JSON.stringify(JSON.parse(JSON.stringify(rows))))
      .digest('hex')
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** What to say of a tier that took more than it is allowed. */
export function aboveAllowed(tier: Tier, { processes, databases }: Spent, slower: number): string | undefined {
  const [spent, allowed] = [processes + databases, ALLOWED_SECONDS[tier] * slower]
  if (spent <= allowed) return undefined
  return `${spent.toFixed(0)} s of the processor are above the ${allowed.toFixed(0)} s that are allowed (test/runner/allowance.ts)`
}
