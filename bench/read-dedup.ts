import { load, median } from './load.ts'
import { WORDS } from './read-records.ts'
import type { Filled } from './read-store.ts'

const PATHS = [
  '/types/photos?limit=20',
  '/types/photos?limit=1000',
  '/types/all_feed?limit=20',
  '/types/all_feed?limit=1000',
  `/types/all_feed?limit=20&q=${WORDS.common}`,
]
const ROUND_MS = Number(process.env['BENCH_MS'] ?? 500)
const ROUNDS = 5

/** What `dedup=true` costs: the same request with and without it, in alternating rounds. The ratio is the median of the rounds. */
export async function benchDedup(url: string, { token, size }: Filled): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  process.stdout.write(`dedup in an account of ${size} items: p50 without and with it, and the ratio\n`)
  for (const path of PATHS) {
    const measure = async (address: string) =>
      (await load(url + address, { connections: 1, ms: ROUND_MS, headers })).p50Ms
    const rounds: { without: number; with: number }[] = []
    // The first round prepares the statements.
    for (let round = 0; round <= ROUNDS; round += 1)
      rounds.push({ without: await measure(path), with: await measure(`${path}&dedup=true`) })
    rounds.shift()
    const [without, withIt] = [median(rounds.map((round) => round.without)), median(rounds.map((round) => round.with))]
    const ratio = median(rounds.map((round) => round.with / round.without))
    process.stdout.write(`| ${path} | ${without.toFixed(1)} | ${withIt.toFixed(1)} | ${ratio.toFixed(1)} |\n`)
  }
}
