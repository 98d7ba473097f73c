import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runChaos } from '../chaos/chaos.ts'

const SEED = Number(process.env['SEED'] ?? 7)

test('workers killed and frozen, database crashed, service failing: no wrong item, no lost item, no profile run twice at once', async (t) => {
  const report = await runChaos({
    seed: SEED,
    people: 60,
    apps: 3,
    everyMs: 4000,
    latencyMs: [200, 800],
    calls: 300,
    windowS: 10,
    freezeMs: 17_000,
    workers: 'processes',
    ms: 18_000,
  })
  t.diagnostic(`seed ${SEED}: ${JSON.stringify(report)}`)
  const { wrong, lost, extra, overlaps, disordered, miscounted } = report
  assert.deepEqual(
    { wrong, lost, extra, overlaps, disordered, miscounted },
    { wrong: 0, lost: 0, extra: 0, overlaps: 0, disordered: 0, miscounted: 0 },
  )
  assert.ok(report.items > 1500, `${report.items} items compared`)
  assert.ok(report.worstWindow <= report.allowed, `${report.worstWindow} calls in a window of ${report.allowed}`)
  assert.ok(report.rerun > 0, 'nothing was running at the kill')
  assert.ok(report.runs.most >= 2, 'no profile was synced twice')
})
