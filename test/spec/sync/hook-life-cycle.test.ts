import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { endSubscriptionsNow } from '#access/end-subscriptions.ts'
import { demoHealth } from '#connectors/demo-health/connector.ts'
import { findProfile } from '#store/identity/profiles.ts'
import type { WebhookControl } from '../../../lab/base/webhooks.ts'
import { signed } from '../../../lab/services/demo-health/subscriptions.ts'
import { type LabHarness, startLabHarness } from '../../harness/lab.ts'
import { get, send } from '../../harness/send.ts'
import { type Granted, signIn } from '../../harness/sign-in.ts'
import { synced } from '../../harness/sync.ts'
import { until } from '../../harness/until.ts'
import { openFlows } from '../sign-in/fixture.ts'

interface Row {
  state: string
  native_id: string | null
  due_at: string
  attempts: number
  last_reason: string | null
}

suite('the life of a hook', () => {
  let harness: LabHarness
  let health: LabHarness['lab']['services']['demo-health']
  let hooks: WebhookControl
  before(async () => {
    harness = await startLabHarness()
    health = harness.lab.services['demo-health']
    // People connect again and again.
    health.configure({ rateLimit: { limit: 100_000 } })
    assert.ok(health.hooks)
    hooks = health.hooks
  })
  after(() => harness.stop())

  const rows = () =>
    harness.sql<Row>('select state, native_id, due_at, attempts, last_reason from hook_subscription order by native_id')
  const isActive = ([row]: Row[]) => row?.state === 'active'
  const connected = async (person: string, app = harness.app): Promise<Granted> => {
    const granted = await signIn(harness, 'demo-health', person, {}, app)
    await synced(harness, granted.access_token, 'demo-health')
    await until('the profile is subscribed', rows, isActive)
    return granted
  }
  const activities = async ({ access_token: token }: Granted) => {
    const { body } = await get(harness, '/services/demo-health/activities?limit=1000', token)
    return body as unknown as { data: { id: number; name?: string } }[]
  }
  const named = async (who: Granted, id: unknown) =>
    (await activities(who)).find(({ data }) => data.id === Number(id))?.data.name
  const calls = (method: string) =>
    health.requests.all.filter((each) => each.method === method && each.path.startsWith('/api/subscriptions'))
  const disconnect = async ({ access_token: token }: Granted) => {
    const { status } = await send(harness, 'DELETE', '/profiles/demo-health', { token })
    assert.equal(status, 200)
  }
  const lastDelivery = async () => {
    await hooks.settled()
    return hooks.deliveries.at(-1)!
  }

  test('a profile is subscribed once it is connected, renewed before the end, and the service is told when it leaves', async () => {
    const ada = await connected('ada')
    assert.equal(calls('POST').length, 1)
    const [row] = await rows()
    assert.ok(row!.native_id?.startsWith('sub-'))
    const dueIn = Number(row!.due_at) - Date.now()
    assert.ok(dueIn > 0 && dueIn < 3_600_000, 'renewed before it ends')
    await harness.sql('update hook_subscription set due_at = 0')
    await until('it is renewed', async () => calls('PUT').length === 1)
    await until('the next renewal is scheduled', rows, ([renewed]) => Number(renewed?.due_at) > Date.now())
    await disconnect(ada)
    assert.equal(calls('DELETE').length, 1)
    assert.deepEqual(await rows(), [])
  })

  test('a subscription whose response was lost is found again, not doubled', async () => {
    const ada = await connected('ada')
    const [before] = await rows()
    await harness.sql(`update hook_subscription set state = 'wanted', native_id = null, due_at = 0`)
    await until('it is active again', rows, isActive)
    assert.equal((await rows())[0]?.native_id, before?.native_id)
    await disconnect(ada)
  })

  test('one that the service has forgotten is requested again', async () => {
    const ada = await connected('ada')
    await harness.sql(`update hook_subscription set native_id = 'sub-unknown', due_at = 0`)
    await until('it has another id', rows, ([row]) => row?.state === 'active' && row.native_id !== 'sub-unknown')
    await disconnect(ada)
  })

  test('a failing service is asked again later, and the failure is shown to operators', async () => {
    health.faults.add({ path: '/api/subscriptions', kind: 'status', status: 503, times: 1 })
    const ada = await signIn(harness, 'demo-health', 'ada', {})
    await until('it failed', rows, ([row]) => row?.last_reason === 'service_failed')
    const shown = await harness.tributary.admin('GET', `/admin/apps/${harness.app.clientId}/hooks`)
    const [listed] = (shown.body as { subscriptions: Record<string, unknown>[] }).subscriptions
    assert.deepEqual(
      [listed?.['service'], listed?.['state'], listed?.['last_reason']],
      ['demo-health', 'wanted', 'service_failed'],
    )
    const metrics = await (await fetch(`${harness.tributary.url}/metrics`)).text()
    assert.match(metrics, /tributary_hook_subscriptions\{service="demo-health",state="failing"\} 1/)
    await harness.sql('update hook_subscription set due_at = 0')
    await until('it is active', rows, isActive)
    await disconnect(ada)
  })

  test('the stored failure does not repeat secrets of the request', async () => {
    const { secret } = harness.app.keys['demo-health']!
    const body = `no webhooks with ${secret}`
    health.faults.add({ path: '/api/subscriptions', kind: 'response', status: 400, body, times: 1 })
    const ada = await signIn(harness, 'demo-health', 'ada')
    const errors = () => harness.sql<{ last_error: string }>('select last_error from hook_subscription')
    await until('it has failed', errors, ([row]) => row?.last_error != null)
    assert.match((await errors())[0]!.last_error, /no webhooks with \[redacted\]/)
    await disconnect(ada)
  })

  test('two profiles of one person share what the service has: the second keeps it when the first leaves', async () => {
    const first = await connected('ada')
    const ben = await signIn(harness, 'demo-health', 'ben')
    await signIn(harness, 'demo-health', 'ada', { access_token: ben.access_token })
    await until('all are subscribed', rows, (list) => list.filter(({ state }) => state === 'active').length === 3)
    const told = calls('DELETE').length
    await disconnect(first)
    assert.equal(calls('DELETE').length, told)
    await disconnect(ben)
    assert.equal(calls('DELETE').length, told + 2)
    assert.deepEqual(await rows(), [])
  })

  test('a changed, new and deleted record arrives with the webhook, without a call to the endpoint', async () => {
    const ada = await connected('ada')
    const reads = () => health.requests.all.filter(({ path }) => path === '/api/activities').length
    const before = reads()
    const { id } = health.data.add('ada', 'activities', { name: 'A run', start_time: new Date().toISOString() })
    await until(
      'the new record is stored',
      () => named(ada, id),
      (name) => name === 'A run',
    )
    harness.lab.clock.advance(2000)
    health.data.edit('ada', 'activities', String(id), { name: 'A longer run' })
    await until(
      'the changed record is stored',
      () => named(ada, id),
      (name) => name === 'A longer run',
    )
    harness.lab.clock.advance(2000)
    health.data.remove('ada', 'activities', String(id))
    await until(
      'the record is deleted',
      () => named(ada, id),
      (name) => name === undefined,
    )
    assert.equal(reads(), before)
    assert.deepEqual(await harness.sql('select position from hook_record'), [])
    await disconnect(ada)
  })

  test('S94 an unsigned, a changed and an old webhook is refused; a repeated one changes nothing', async () => {
    const ada = await connected('ada')
    const { id } = health.data.add('ada', 'activities', { name: 'First', start_time: new Date().toISOString() })
    const created = await lastDelivery()
    harness.lab.clock.advance(2000)
    health.data.edit('ada', 'activities', String(id), { name: 'Second' })
    await until(
      'the change is stored',
      () => named(ada, id),
      (name) => name === 'Second',
    )
    const edited = await lastDelivery()
    assert.deepEqual([created.status, edited.status], [200, 200])
    assert.equal(await hooks.repeat({ ...created, headers: {} }), 401)
    assert.equal(await hooks.repeat({ ...created, body: created.body.replace('First', 'Third') }), 401)
    const { secret } = harness.app.keys['demo-health']!
    const late = signed(secret, created.body, Date.now() - 6 * 60_000)
    assert.equal(await hooks.repeat({ ...created, headers: late }), 401)
    // An older version that is signed anew, as a service does that repeats a failed webhook.
    assert.equal(await hooks.repeat({ ...created, headers: signed(secret, created.body, Date.now()) }), 200)
    await harness.tributary.idle('syncs')
    assert.equal(await named(ada, id), 'Second')
    harness.lab.clock.advance(2000)
    health.data.remove('ada', 'activities', String(id))
    await until(
      'the record is deleted',
      () => named(ada, id),
      (name) => name === undefined,
    )
    assert.equal(await hooks.repeat({ ...edited, headers: signed(secret, edited.body, Date.now()) }), 200)
    await harness.tributary.idle('syncs')
    assert.equal(await named(ada, id), undefined, 'a repeated webhook does not restore a deleted record')
    await disconnect(ada)
  })

  test('a record that was deleted before it arrived stays deleted', async () => {
    const ada = await connected('ada')
    const { secret } = harness.app.keys['demo-health']!
    const url = `${harness.tributary.url}/hooks/demo-health/${harness.app.clientId}`
    const person = health.people.find(({ username }) => username === 'ada')!.id
    const deliver = async (event: object) => {
      const body = JSON.stringify({ events: [{ person, kind: 'activities', ...event }] })
      assert.equal(await hooks.repeat({ url, headers: signed(secret, body, Date.now()), body }), 200)
      await harness.tributary.idle('syncs')
    }
    const seconds = Math.floor(Date.now() / 1000)
    await deliver({ deleted: 424_242, deleted_at: seconds })
    await deliver({ activity: { id: 424_242, name: 'Late', updated_at: seconds - 10 } })
    assert.equal(await named(ada, 424_242), undefined)
    await deliver({ activity: { id: 424_242, name: 'Restored', updated_at: seconds + 10 } })
    assert.equal(await named(ada, 424_242), 'Restored')
    await disconnect(ada)
    assert.deepEqual(await harness.sql('select position from hook_record'), [])
  })

  test('nothing is stored for a profile that is erased', async () => {
    const ada = await connected('ada')
    const { id } = health.data.add('ada', 'activities', { name: 'Last', start_time: new Date().toISOString() })
    const delivery = await lastDelivery()
    await until(
      'it is stored',
      () => named(ada, id),
      (name) => name === 'Last',
    )
    await disconnect(ada)
    const { secret } = harness.app.keys['demo-health']!
    assert.equal(await hooks.repeat({ ...delivery, headers: signed(secret, delivery.body, Date.now()) }), 200)
    const counts = await harness.sql<{ n: number }>(
      'select (select count(*) from hook_record)::int + (select count(*) from hook_subscription)::int as n',
    )
    assert.deepEqual(counts, [{ n: 0 }])
  })

  test('a service that cannot be told is told later, although the profile is erased', async () => {
    const ada = await connected('ada')
    health.faults.add({ path: '/api/subscriptions/*', kind: 'status', status: 503, times: 1 })
    await disconnect(ada)
    const [row] = await rows()
    assert.deepEqual([row?.state, row?.last_reason], ['ending', 'service_failed'])
    await harness.sql('update hook_subscription set due_at = 0')
    await until('nothing is left', rows, (list) => list.length === 0)
  })

  test('a connector that fails to end it does not keep the credential of an erased profile', async () => {
    const ada = await connected('ada')
    const { deps, close } = await openFlows(harness)
    try {
      const unsubscribe = () => {
        throw new TypeError('a fault')
      }
      const subscriptions = { changes: { ...demoHealth.hook!.subscriptions!['changes']!, unsubscribe } }
      const broken = { ...demoHealth, hook: { ...demoHealth.hook!, subscriptions } }
      const [key] = await harness.sql<{ shard: number; profile_id: string }>('select * from hook_subscription')
      const profile = await findProfile(deps.database, key!.shard, key!.profile_id)
      const registry = { ...deps.registry, find: () => broken }
      await endSubscriptionsNow({ ...deps, registry }, profile!, { token: 'of-an-erased-profile' })
      assert.deepEqual(await rows(), [])
    } finally {
      await close()
    }
    await disconnect(ada)
  })

  test('deleting the app ends its subscriptions', async () => {
    const app = await harness.makeApp()
    await connected('ben', app)
    const told = calls('DELETE').length
    const { status } = await harness.tributary.admin('DELETE', `/admin/apps/${app.clientId}?erase=true`)
    assert.ok(status < 300)
    await until('the service is told', async () => calls('DELETE').length === told + 1)
    await until('nothing is left', rows, (list) => list.length === 0)
  })
})
