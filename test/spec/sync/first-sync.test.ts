import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type LabHarness, MANY_ITEMS, startLabHarness } from '../../harness/lab.ts'
import { signIn } from '../../harness/sign-in.ts'
import { syncProgress } from '../../harness/sync.ts'
import { until } from '../../harness/until.ts'

suite('the first sync', () => {
  let harness: LabHarness
  before(async () => {
    harness = await startLabHarness({}, {}, { maxActivity: MANY_ITEMS })
  })
  after(() => harness.stop())

  for (const service of ['demo-social', 'demo-micro', 'demo-health'] as const) {
    test(`${service}: every endpoint brings items, and the profile becomes active`, async () => {
      // Messages need the permission that the flag requests; other services ignore it.
      const { access_token: token } = await signIn(harness, service, 'ada', { flag: 'dm' })
      const progress = await until(
        'every endpoint has run',
        () => syncProgress(harness, token, service),
        (now) => Object.values(now).every(({ state }) => state === 'done' || state === 'failing'),
      )
      assert.ok(Object.keys(progress).length > 0)
      for (const [name, { state, items, last_error: error }] of Object.entries(progress)) {
        assert.equal(state, 'done', `${name}: ${error}`)
        assert.ok(items > 0, `${name} has ${items} items`)
      }
    })
  }
})
