import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type ClientDatabase, clientDatabase } from '../../harness/database/client-database.ts'
import { until } from '../../harness/until.ts'
import { type PushHarness, startPushHarness } from './fixture.ts'
import { type Receiver, startReceiver } from './receiver.ts'

const PEOPLE = 6
const EACH = 700
const SLOW_MS = 2000
/** Concurrent runs into one destination, in one process. */
const MAX_RUNS = 3

suite('a slow destination', () => {
  let harness: PushHarness
  let theirs: ClientDatabase
  let slow: Receiver
  before(async () => {
    harness = await startPushHarness()
    theirs = await clientDatabase()
    slow = await startReceiver()
  })
  after(async () => {
    await harness.stop()
    await theirs.drop()
    await slow.close()
  })

  test('P12 few batches are in memory, the lag is reported, others are not delayed, and everything is delivered', async () => {
    const app = await harness.newTenant()
    const people = await Promise.all(Array.from({ length: PEOPLE }, () => app.newPerson()))
    const arrivals: number[] = []
    slow.delayMs = SLOW_MS
    slow.response = () => {
      arrivals.push(performance.now())
      return 200
    }
    const lazy = await app.add({ kind: 'webhook', url: slow.url })
    const quick = await app.add({ kind: 'postgres', url: theirs.url })
    for (const person of people)
      await harness.put(
        person,
        Array.from({ length: EACH }, (_, i) => ({ id: `n${i}` })),
      )
    await until('the other one has all', async () => (await theirs.live()).length === PEOPLE * EACH)
    await app.caughtUp(quick)
    const taken = slow.changes().length
    const shown = await app.show(lazy)
    assert.ok(shown.changes_behind >= PEOPLE * EACH - taken, `${shown.changes_behind} behind, ${taken} taken`)
    assert.ok(shown.changes_behind <= PEOPLE * EACH && (shown['lag_ms'] as number) > 0)
    const metrics = await (await fetch(`${harness.tributary.url}/metrics`)).text()
    const lag = Number(/^tributary_push_lag_changes\{kind="webhook"\} (\d+)$/m.exec(metrics)?.[1])
    assert.ok(lag > 0 && lag <= shown.changes_behind, `${lag} behind by the metrics`)
    // While the receiver waits, only its few runs have a batch in memory.
    for (const [i, at] of arrivals.entries()) {
      const together = arrivals.slice(0, i + 1).filter((each) => each > at - SLOW_MS * 0.9)
      assert.ok(together.length <= MAX_RUNS, `${together.length} at once`)
    }
    slow.delayMs = 0
    await app.caughtUp(lazy)
    assert.equal(
      new Set(slow.messages.flatMap(({ data }) => data.changes?.map(({ seq }) => `${data.profile!.id} ${seq}`))).size,
      PEOPLE * EACH,
    )
    assert.equal((await app.show(lazy)).changes_behind, 0)
  })
})
