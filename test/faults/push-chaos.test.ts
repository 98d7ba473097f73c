import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runPushChaos } from '../chaos/push-chaos.ts'

const SEED = Number(process.env['SEED'] ?? 11)

test('workers killed and frozen, the line cut, the destination crashed, 2 % refused: nothing missing, stale, twice or out of order', async (t) => {
  const report = await runPushChaos({ seed: SEED, kills: 12, people: 20, crashOneIn: 12 })
  t.diagnostic(JSON.stringify(report))
  for (const { missing, stale, extra, duplicates } of [report.tables, report.webhook])
    assert.deepEqual({ missing, stale, extra, duplicates }, { missing: 0, stale: 0, extra: 0, duplicates: 0 })
  assert.equal(report.webhook.disordered, 0)
  assert.ok(report.tables.compared > 100, `${report.tables.compared} items compared`)
  assert.ok(report.webhook.messages > 50)
})
