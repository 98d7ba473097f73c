import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runPushChaos } from '../chaos/push-chaos.ts'
import { faultsOf, NO_FAULTS } from '../chaos/push-compare.ts'
import { natsServerMissing } from '../spec/push/kinds/nats-server.ts'
import { mariadbMissing } from '../spec/push/kinds/tls-servers.ts'

const SEED = Number(process.env['SEED'] ?? 11)

test('P01 workers killed, frozen and crashed, connections cut, destinations crashed, 2 % of rows rejected: nothing missing, stale, duplicated or out of order', {
  skip: mariadbMissing || natsServerMissing,
}, async (t) => {
  const report = await runPushChaos({
    seed: SEED,
    kills: 8,
    workers: 2,
    people: 20,
    crashOneIn: 20,
    say: (line) => t.diagnostic(`${Math.round(performance.now())} ms: ${line}`),
  })
  t.diagnostic(JSON.stringify(report))
  for (const [kind, { verdict }] of Object.entries(report.targets)) {
    assert.deepEqual(faultsOf(verdict), NO_FAULTS, kind)
    assert.ok(verdict.compared > 100, `${verdict.compared} items compared`)
  }
  assert.deepEqual(Object.keys(report.targets).toSorted(), ['mysql', 'nats', 'postgres', 'webhook'])
  assert.ok(report.messages > 50)
})
