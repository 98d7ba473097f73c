import { createHash } from 'node:crypto'
import type { Tier } from './tiers.ts'

/**
 * Processor time that a tier may take, of its processes and of the database servers together, on a machine that takes
 * `REFERENCE_MS` for the measure below: what was measured, and a third more. Seconds of the processor hardly depend on what
 * else the machine does. A commit that raises it says why that is worth everybody's time.
 */
export const ALLOWED_SECONDS: Record<Tier, number> = { test: 1300, system: 2950, nightly: Number.POSITIVE_INFINITY }
const REFERENCE_MS = 300

export interface Spent {
  /** Seconds of the processor. */
  processes: number
  databases: number
}

/** How much slower this machine is than that of these numbers, and at least 1: a faster machine is allowed no less. */
export function slowness(): number {
  return Math.max(1, Math.min(...Array.from({ length: 5 }, measureMs)) / REFERENCE_MS)
}

/** Text, hashes and memory, as tests use them. */
function measureMs(): number {
  const before = process.cpuUsage()
  let text = ''
  for (let n = 0; n < 40; n += 1) {
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
