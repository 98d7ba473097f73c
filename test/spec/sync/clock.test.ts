import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type LabHarness, startLabHarness } from '../../harness/lab.ts'
import { get } from '../../harness/send.ts'
import { newBrowser, newCode, redeem, signIn } from '../../harness/sign-in.ts'
import { CONNECTORS } from '../sign-in/fixture.ts'
import { type Fixture, notes, openFixture, someNotes } from './engine-fixture.ts'

const DAY_MS = 86_400_000

suite('R05 a clock that jumps, while services are synced', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  test('R05 calls are allowed again soon after a clock that was ahead is corrected', async () => {
    const limits = { app: { calls: 2, perS: 1 } }
    const connector = await fixture.use('clocked', { list: notes('/clocked') }, { api: { limits } })
    const take = async () => (await fixture.deps.rateLimiter.tryAcquire('app', connector, 'sync')).untilMs
    const useUp = async () => {
      let calls = 0
      while ((await take()) === undefined && calls < 50) calls += 1
      return calls
    }
    fixture.clock.offsetMs = DAY_MS
    assert.ok((await useUp()) > 0)
    fixture.clock.offsetMs = 0
    await useUp()
    fixture.clock.offsetMs = 5000
    assert.ok((await useUp()) > 0, 'the rate limiter refills by the corrected clock')
    fixture.clock.offsetMs = 0
  })

  test('R05 a sync before, during and after the jump stores the same records, and changes keep their order', async () => {
    const connector = await fixture.use('jumping', { list: notes('/jumping') })
    let listed = someNotes(3)
    fixture.service.on('/jumping', () => ({ body: { notes: listed } }))
    const profile = await fixture.connect(connector)
    await fixture.sync(profile)
    const seqs: number[] = []
    for (const [offsetMs, text] of [
      [30 * DAY_MS, 'ahead'],
      [-DAY_MS, 'back'],
      [0, 'right'],
    ] as const) {
      fixture.clock.offsetMs = offsetMs
      listed = listed.map((note) => ({ ...note, text: `${String(note.id)} ${text}` }))
      await fixture.sync(profile)
      const stored = await fixture.stored(profile)
      assert.deepEqual(
        [...stored.values()].map(({ data }) => (JSON.parse(data) as { text: string }).text),
        listed.map((note) => note.text),
      )
      seqs.push(Math.max(...[...stored.values()].map(({ seq }) => seq)))
      assert.equal((await fixture.progress(profile, 'list')).last_error ?? null, null)
    }
    assert.deepEqual(
      seqs,
      seqs.toSorted((a, b) => a - b),
    )
    assert.equal(new Set(seqs).size, 3)
  })
})

suite('R05 a clock that jumps, while people sign in', () => {
  const clock = { offsetMs: 0, now: () => Date.now() + clock.offsetMs }
  let harness: LabHarness
  before(async () => {
    harness = await startLabHarness({ TRIBUTARY_CONNECTORS: CONNECTORS }, { clock })
  })
  after(() => harness.stop())

  test('R05 tokens issued before and during the jump stay valid, for decades; codes expire or stay redeemable', async () => {
    const before = await signIn(harness, 'demo-social', 'ada')
    const early = await newCode(harness, 'demo-social', 'ada')
    clock.offsetMs = DAY_MS
    assert.notEqual((await redeem(harness, early)).status, 200, 'a code expires within a day')
    const ahead = await signIn(harness, 'demo-social', 'ada')
    const code = await newCode(harness, 'demo-social', 'ada')
    const page = await newBrowser().open(harness.startUrl('demo-social'))
    assert.equal(page.status, 200)
    clock.offsetMs = -DAY_MS
    assert.equal((await redeem(harness, code)).status, 200, 'a code issued in the future is redeemed once')
    assert.notEqual((await redeem(harness, code)).status, 200)
    clock.offsetMs = 0
    const again = await signIn(harness, 'demo-social', 'ada')
    assert.equal(again.account, before.account)
    for (const { access_token: token } of [before, ahead, again]) {
      const { status, body } = await get(harness, '/profiles', token)
      // A code that is used twice revokes its own token, and no other.
      assert.deepEqual([status, body['id']], [200, before.account])
    }
    clock.offsetMs = 40 * 365 * DAY_MS
    for (const { access_token: token, account } of [before, ahead, again])
      assert.equal((await get(harness, '/profiles', token)).body['id'], account, 'no token expires')
    clock.offsetMs = 0
    for (const path of ['/healthz', '/readyz'])
      assert.equal((await fetch(`${harness.tributary.url}${path}`)).status, 200)
  })
})
