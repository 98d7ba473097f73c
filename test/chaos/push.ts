import { CRASH_POINTS } from './crash-points.ts'
import { runPushChaos } from './push-chaos.ts'
import { faultsOf } from './push-compare.ts'

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e6))
const kills = Number(process.env['KILLS'] ?? 1000)
const minutes = Number(process.env['MINUTES'] ?? 0)
process.stdout.write(
  `seed ${seed}: 3 workers, ${kills} kills, freezes past the lease, cuts, crashes of the destinations, 2 % failures\n`,
)
const beganAt = Date.now()
// An interrupted run still prints the comparison.
const ending = new AbortController()
process.once('SIGINT', () => ending.abort()).once('SIGTERM', () => ending.abort())
if (minutes > 0) setTimeout(() => ending.abort(), minutes * 60_000).unref()
const report = await runPushChaos({
  seed,
  kills,
  signal: ending.signal,
  workers: 3,
  people: Number(process.env['PEOPLE'] ?? 60),
  crashOneIn: 15,
  say: (line) => process.stdout.write(`${String(Math.round((Date.now() - beganAt) / 1000)).padStart(5)} s  ${line}\n`),
})
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
const unvisited = CRASH_POINTS.filter((point) => report.points[point] === undefined)
if (unvisited.length > 0) process.stdout.write(`crash points that were not reached: ${unvisited.join(', ')}\n`)
const wrong = Object.values(report.targets).flatMap(({ verdict }) => Object.values(faultsOf(verdict)))
process.exitCode = wrong.every((n) => n === 0) ? 0 : 1
