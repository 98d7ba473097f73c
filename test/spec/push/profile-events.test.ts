import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { basic } from '../../harness/app.ts'
import { type LabHarness, startLabHarness } from '../../harness/lab.ts'
import { pusher } from '../../harness/push.ts'
import { send } from '../../harness/send.ts'
import { signIn } from '../../harness/sign-in.ts'
import { synced } from '../../harness/sync.ts'
import { until } from '../../harness/until.ts'
import { type Message, type Receiver, startReceiver } from './receiver.ts'

const LIFE = ['profile.connected', 'sync.first_completed', 'profile.needs_auth', 'profile.disconnected']

suite('events of profiles', () => {
  let harness: LabHarness
  let receiver: Receiver
  let app: Awaited<ReturnType<LabHarness['makeApp']>>
  before(async () => {
    harness = await startLabHarness()
  })
  after(() => harness.stop())
  beforeEach(async () => {
    receiver = await startReceiver()
    app = await harness.makeApp()
  })
  afterEach(() => receiver.close())

  const add = (events: unknown, url = receiver.url) =>
    pusher(harness, app).add({ kind: 'webhook', url, filter: ['/types/contacts'], options: { events } })
  const connect = (more: Record<string, string> = {}) => signIn(harness, 'demo-micro', 'ada', more, app)
  const events = (types = LIFE) => receiver.messages.filter(({ type }) => types.includes(type))
  const arrived = (count: number) => until(`${count} events arrived`, events, ({ length }) => length >= count)
  const profileOf = ({ data }: Message) => data.profile as unknown as { id: string; service: string; native_id: string }
  const endTokens = async (token: string) => {
    assert.ok(harness.lab.services['demo-micro'].tokens.revoke('ada') > 0)
    await send(harness, 'POST', '/profiles/demo-micro/sync', { token })
  }

  test('arrive in the order of its life, signed, each once, with account and profile', async () => {
    const { secret } = await add(true)
    const ada = await connect()
    await arrived(2)
    await endTokens(ada.access_token)
    await arrived(3)
    await connect()
    await arrived(4)
    assert.equal((await send(harness, 'DELETE', '/profiles/demo-micro', { token: ada.access_token })).status, 200)
    await arrived(5)
    await harness.tributary.idle('syncs')
    await harness.tributary.idle('deliveries')
    assert.deepEqual(
      events().map(({ type }) => type),
      ['profile.connected', 'sync.first_completed', 'profile.needs_auth', 'profile.connected', 'profile.disconnected'],
    )
    const [connected, completed, needsAuth, reconnected, disconnected] = events()
    assert.equal(new Set(events().map(({ id }) => id)).size, 5, 'every event has its own id')
    for (const event of events()) {
      assert.equal(event.data['account'], ada.account)
      assert.deepEqual(profileOf(event), profileOf(connected!))
      new Webhook(secret!).verify(event.body, event.headers as Record<string, string>)
    }
    const times = events().map(({ body }) => Date.parse((JSON.parse(body) as { timestamp: string }).timestamp))
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    )
    assert.deepEqual([connected!.data['reconnected'], reconnected!.data['reconnected']], [false, true])
    assert.ok(Number(completed!.data['items']) > 0)
    // Messages need a permission that was not given.
    assert.deepEqual(completed!.data['unread'], [{ endpoint: 'messages', reason: 'scope_missing' }])
    assert.equal(typeof needsAuth!.data['reason'], 'string')
    assert.equal(disconnected!.data['by'], 'app')
  })

  test('wait for a receiver that is down, also when the profile is gone by then', async () => {
    receiver.response = () => 503
    receiver.extra = { 'retry-after': '1' }
    await add(['profile.connected', 'profile.disconnected'])
    const ada = await connect({ flag: 'dm' })
    await synced(harness, ada.access_token, 'demo-micro')
    assert.equal((await send(harness, 'DELETE', '/profiles', { token: ada.access_token })).status, 200)
    assert.deepEqual(receiver.messages, [])
    receiver.response = () => 200
    await arrived(2)
    await harness.tributary.idle('deliveries')
    assert.deepEqual(
      events([...LIFE, 'account.erased']).map(({ type }) => type),
      ['profile.connected', 'profile.disconnected'],
      'and only those that were asked for',
    )
  })

  test('a repeated delivery has the id of the first', async () => {
    const ids: string[] = []
    receiver.response = ({ id, type }) => {
      if (type !== 'profile.connected') return 200
      ids.push(id)
      return ids.length < 3 ? 500 : 200
    }
    await add(true)
    await connect()
    await arrived(1)
    assert.equal(ids.length, 3)
    assert.equal(new Set(ids).size, 1)
  })

  test('signing in again to a profile that works is not an event', async () => {
    await add(true)
    const ada = await connect({ flag: 'dm' })
    await synced(harness, ada.access_token, 'demo-micro')
    await arrived(2)
    await connect()
    await harness.tributary.idle('syncs')
    await harness.tributary.idle('deliveries')
    assert.deepEqual(
      events().map(({ type }) => type),
      ['profile.connected', 'sync.first_completed'],
    )
  })

  test('unknown names of events are refused', async () => {
    const { status, body } = await pusher(harness, app).request('POST', '/push', {
      name: 'x',
      kind: 'webhook',
      url: receiver.url,
      options: { events: ['profile.conected'] },
    })
    assert.deepEqual([status, body['param']], [400, 'options.events.0'])
  })

  test('are in the feed of the app, too', async () => {
    const headers = basic(app)
    const first = await send(harness, 'GET', '/accounts/changes', { headers })
    await connect()
    const types = new Set<string>()
    let cursor = first.body['cursor'] as string
    await until('both events are there', async () => {
      const { body } = await send(harness, 'GET', '/accounts/changes', { headers, query: { cursor, wait: '5' } })
      for (const each of body['changes'] as { event?: { type: string } }[]) if (each.event) types.add(each.event.type)
      cursor = body['cursor'] as string
      return types.has('profile.connected') && types.has('sync.first_completed')
    })
  })
})
