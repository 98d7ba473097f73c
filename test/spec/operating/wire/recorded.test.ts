import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startTributary, type Tributary } from '../../../harness/start.ts'
import { CASES } from './cases.ts'
import { openWire, type Wire } from './fixture.ts'
import { RECORDED } from './recorded.ts'
import { transcriptOf } from './transcript.ts'

let tributary: Tributary
let wire: Wire
before(async () => {
  tributary = await startTributary()
  wire = await openWire(tributary)
})
after(async () => {
  await wire.close()
  await tributary.stop()
})

suite('what the server sends for', () => {
  for (const [name, bytes] of Object.entries(CASES))
    test(name, async () => assert.equal(await transcriptOf(wire, bytes), RECORDED[name]))

  test('nothing else is recorded', () => assert.deepEqual(Object.keys(RECORDED), Object.keys(CASES)))
})
