import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { XSubscriptions } from '../../../../lab/services/x/subscriptions.ts'
import { registerAt } from '../../../harness/callback.ts'
import { until } from '../../../harness/until.ts'
import { startVendorHarness, type VendorHarness } from './vendors-fixture.ts'

const CONSUMER_SECRET = 'consumer-secret'

suite('webhooks of vendors', () => {
  let harness: VendorHarness
  let hooks: XSubscriptions['hooks']
  before(async () => {
    harness = await startVendorHarness()
    hooks = harness.lab.services.x.hooks as XSubscriptions['hooks']
  })
  after(() => harness.stop())

  const sql = <Row extends object>(text: string) => harness.tributary.sql<Row>(text)
  const stateOf = async (service: string) =>
    (await sql<{ service: string; state: string }>('select service, state from profile')).find(
      (each) => each.service === service,
    )?.state

  test('X: the app registers its webhook, then each person is subscribed and unsubscribed', async () => {
    const { tributary, app, lab } = harness
    const hookSecret = { hook_secret: CONSUMER_SECRET }
    const { callback: _, ...keys } = await registerAt(tributary, app, 'x', lab.services.x, hookSecret)
    const hookId = await hooks.register(`${tributary.url}/hooks/x/${app.clientId}`, CONSUMER_SECRET)
    await tributary.admin('PUT', `/admin/apps/${app.clientId}/keys/x`, { ...keys, ...hookSecret, hook_id: hookId })
    const token = await harness.signIn('x', 'ada')
    await until('both events are subscribed', () => hooks.subscriptions().length === 2)
    await until('both are known', async () => {
      const rows = await sql<{ state: string }>('select state from hook_subscription')
      return rows.length === 2 && rows.every(({ state }) => state === 'active')
    })

    const [post] = await until(
      'posts are stored',
      () => sql<{ native_id: string }>(`select native_id from item where endpoint = 'tweets' order by at desc limit 1`),
      (rows) => rows.length === 1,
    )
    await harness.tributary.idle('syncs')
    const reads = () => harness.lab.services.x.requests.all.filter(({ path }) => path.endsWith('/tweets')).length
    const before = reads()
    harness.lab.services.x.data.remove('ada', 'posts', post!.native_id)
    await until('the deleted post has a tombstone', async () => {
      const rows = await sql<{ native_id: string }>('select native_id from item_tombstone')
      return rows.some(({ native_id: id }) => id === post!.native_id)
    })
    assert.equal(reads(), before, 'without reading posts again, which costs money')

    const user = hooks.subscriptions()[0]!.filter.user_id
    hooks.revoked(user)
    await until('the profile needs a new sign-in', async () => (await stateOf('x')) === 'needs_auth')
    await hooks.settled()
    const notice = hooks.deliveries.at(-1)!
    await harness.signIn('x', 'ada', token)
    assert.equal(await hooks.repeat(notice), 200)
    assert.notEqual(await stateOf('x'), 'needs_auth', 'a repeated notice does not end the new grant')
    assert.equal(await hooks.repeat({ ...notice, headers: {} }), 401)

    await harness.ask('DELETE', '/profiles/x', token)
    assert.deepEqual(hooks.subscriptions(), [])
    assert.deepEqual(await sql('select state from hook_subscription'), [])
  })

  test('X: a challenge that is not a token is not signed', async () => {
    const address = `${harness.tributary.url}/hooks/x/${harness.app.clientId}`
    const forged = JSON.stringify({ for_user_id: '1' })
    const response = await fetch(`${address}?crc_token=${encodeURIComponent(forged)}`)
    assert.equal(response.status, 401)
  })

  test('Instagram: the account is subscribed with the person’s token, and unsubscribed', async () => {
    const calls = (method: string) =>
      harness.lab.services.instagram.requests.all.filter(
        (each) => each.method === method && each.path.endsWith('/me/subscribed_apps') && each.status === 200,
      )
    const token = await harness.signIn('instagram', 'ada')
    const [call] = await until(
      'it is subscribed',
      () => calls('POST'),
      (list) => list.length === 1,
    )
    const fields = Object.fromEntries(call!.query)['subscribed_fields']
    assert.equal(fields, 'comments,messages', 'messages where the person granted them')
    await until(
      'it is known',
      async () => (await sql(`select 1 from hook_subscription where state = 'active'`)).length === 1,
    )
    await harness.ask('DELETE', '/profiles/instagram', token)
    assert.equal(calls('DELETE').length, 1)
  })
})
