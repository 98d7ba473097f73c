import { type Report, runChaos } from './chaos.ts'

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e6))
const people = Number(process.env['PROFILES'] ?? 3000)
const options = {
  seed,
  people,
  apps: 8,
  everyMs: Number(process.env['EVERY'] ?? 15) * 1000,
  latencyMs: [20, 200] as [number, number],
  calls: 600,
  windowS: 10,
  freezeMs: 40_000,
  workers: process.env['WORKERS'] === 'inline' ? ('inline' as const) : ('processes' as const),
  ms: Number(process.env['SECONDS'] ?? 100) * 1000,
}
const { apps, everyMs } = options
process.stdout.write(
  `seed ${seed}: 3 workers, ${people} profiles x 2 endpoints every ${everyMs / 1000} s, ${apps} apps of 60 calls/s, 2 % faults\n`,
)
const beganAt = Date.now()
const report = await runChaos({
  ...options,
  say: (line) => process.stdout.write(`${String(Math.round((Date.now() - beganAt) / 1000)).padStart(4)} s  ${line}\n`),
})
process.stdout.write(`\n${table(report).join('\n')}\n`)
const bad = report.wrong + report.lost + report.extra + report.overlaps + report.disordered + report.miscounted
process.exitCode = bad === 0 && report.worstWindow <= report.allowed ? 0 : 1

function table(r: Report): string[] {
  const rows: [string, string][] = [
    ['profiles that a killed worker was reading / API calls / of them failed', `${r.rerun} / ${r.calls} / ${r.failed}`],
    ['profiles more than 10 s late at the end; runs per pair', `${r.late}; ${r.runs.least}–${r.runs.most}`],
    ['calls for one profile at once by live workers', String(r.overlaps)],
    ['calls by a worker that had been frozen', String(r.zombieCalls)],
    ['settles refused by the lease token', String(r.refused)],
    [`calls in the worst 10 s window of an app (allowed ${r.allowed})`, String(r.worstWindow)],
    ['database back after the crash', `${r.recoveredMs} ms`],
    ['items compared / wrong / lost / extra', `${r.items} / ${r.wrong} / ${r.lost} / ${r.extra}`],
    ['changes out of order; counts that differ', `${r.disordered}; ${r.miscounted}`],
  ]
  return ['| | |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`)]
}
