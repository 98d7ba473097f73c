import './whole-tables.ts'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { get, send } from '../../harness/send.ts'
import { type CostHarness, somePictures, startCostHarness } from './fixture.ts'
import { assertPlansKept } from './plans.ts'

/** More than are needed: a composed statement is prepared at its ninth use, and a plan is kept after five more. */
const RUNS = 20
const READS = [
  '/types/photos',
  '/types/photos?map=true',
  '/types/photos?fields=id',
  '/types/photos?q=picture',
  '/types/photos?dedup=true',
  '/types/photos?copy_of=true',
  '/types/photos?link=https://x.test/1',
  '/types/photos?count=true',
  '/services/shop/pictures',
  '/types',
  '/services',
  '/services?q=shop',
  '/profiles',
  '/profile',
  '/sync',
  '/profiles/shop/sync',
  '/changes?limit=20',
]
/** Statements that a connection plans at each execution, by a part of their text, and why. */
const EXCEPTIONS: Record<string, string> = {}
const EXPECTED =
  'composed composed-counts token-find profile-list endpoint-list item-upsert item-probe sync-take sync-finish'

let harness: CostHarness
let token: string
before(async () => {
  harness = await startCostHarness()
  token = (await harness.connectShop('ada')).access_token
  harness.shop.on('/echo', () => ({ body: { ok: true } }))
})
after(() => harness.stop())

// One after the other, so that the pool has one busy connection.
test('a warm connection keeps its plans', async () => {
  for (let run = 0; run < RUNS; run += 1) {
    harness.setPictures(somePictures(100, run * 100))
    await harness.sync('ada')
    await harness.sync('ada')
  }
  for (const path of READS)
    for (let run = 0; run < RUNS; run += 1) {
      const { status, text } = await get(harness, path, token)
      assert.equal(status, 200, text)
    }
  for (let run = 0; run < RUNS; run += 1) {
    const { status, text } = await send(harness, 'POST', '/proxy/shop/echo', { token, body: '{}' })
    assert.equal(status, 200, text)
  }
  await assertPlansKept(harness.counter.connections(), EXPECTED.split(' '), EXCEPTIONS)
})
