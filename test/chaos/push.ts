import { runPushChaos } from './push-chaos.ts'

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e6))
const kills = Number(process.env['KILLS'] ?? 1000)
process.stdout.write(
  `seed ${seed}: 3 workers, ${kills} kills, freezes past the lease, cuts, crashes of the destination, 2 % failures\n`,
)
const beganAt = Date.now()
const report = await runPushChaos({
  seed,
  kills,
  people: Number(process.env['PEOPLE'] ?? 60),
  crashOneIn: 40,
  say: (line) => process.stdout.write(`${String(Math.round((Date.now() - beganAt) / 1000)).padStart(5)} s  ${line}\n`),
})
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
const wrong = [report.tables, report.webhook].flatMap((each) => [each.missing, each.stale, each.extra, each.duplicates])
process.exitCode = wrong.every((n) => n === 0) && report.webhook.disordered === 0 ? 0 : 1
