import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { isSharded } from '#store/cluster/is-sharded.ts'
import { basic } from '../../harness/app.ts'
import { send } from '../../harness/send.ts'
import { comparer, type WholeCost } from './compare.ts'
import { type CostHarness, somePictures, startCostHarness } from './fixture.ts'
import { ON_DIVIDED_TABLES, WORK } from './table.ts'

const { assertCost: compare, assertAll } = comparer(WORK, ON_DIVIDED_TABLES)
const assertCost = (operation: string, cost: WholeCost) => compare(operation, cost, isDivided)
/** Every loop's interval fits into it a whole number of times. */
const WINDOW_MS = 60_000

let harness: CostHarness
let isDivided: boolean
before(async () => {
  harness = await startCostHarness()
  isDivided = await isSharded(harness.worker.database)
  await harness.connectShop('ada')
  await harness.sync('ada')
})
after(() => harness.stop())

const syncAgain = async () => {
  assert.equal(await harness.sync('ada'), 'finished')
}

suite('a sync', () => {
  test('a check of an empty endpoint', async () => {
    harness.setPictures([])
    assertCost('sync: empty check', await harness.warm(syncAgain))
  })

  test('a page of 100 new items', async () => {
    let from = 0
    const work = async () => {
      harness.setPictures(somePictures(100, from))
      from += 100
      await syncAgain()
    }
    assertCost('sync: 100 new items', await harness.warm(work))
  })

  test('a page of 100 unchanged items', async () => {
    assertCost('sync: 100 unchanged items', await harness.warm(syncAgain))
  })
})

suite('a delivery', () => {
  test('a run with a batch of 100 items', async () => {
    const destination = await harness.addWebhook()
    let from = 10_000
    const more = async () => {
      harness.setPictures(somePictures(100, from))
      from += 100
      await syncAgain()
    }
    for (let run = 0; run < 3; run += 1) {
      await more()
      await harness.deliver(destination)
    }
    await more()
    assertCost('push: a run with 100 items', await harness.measure(() => harness.deliver(destination)))
  })

  test('a run into the feed of the app', async () => {
    const { status, text } = await send(harness, 'GET', '/accounts/changes?cursor=now', { headers: basic(harness.app) })
    assert.equal(status, 200, text)
    await harness.deliverAll()
    const [feed] = await harness.sql<{ id: string }>(`select id from destination where kind = 'feed'`)
    harness.setPictures(somePictures(1, 20_000))
    await syncAgain()
    assertCost('feed: a run with one item', await harness.measure(() => harness.deliver(feed!.id)))
    await harness.deliverAll()
  })
})

suite('a service with nothing to do', () => {
  test('an idle minute', async () => {
    await harness.haveNothingDue()
    const { time, counter } = harness
    // Until every loop waits as long as it ever does.
    await time.pass(30_000, counter.ended)
    assertCost('an idle minute', await counter.during(() => time.pass(WINDOW_MS, counter.ended)))
  })
})

test('every row of the table was counted', assertAll)
