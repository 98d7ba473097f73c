import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  type AccountClient,
  ConnectError,
  createAdmin,
  createClient,
  isTributaryError,
  verifyWebhook,
  type WebhookMessage,
} from '../../sdk/src/index.ts'
import { type LabHarness, startLabHarness } from '../harness/lab.ts'
import { REDIRECT, walk } from '../harness/sign-in.ts'
import { until } from '../harness/until.ts'
import { type Receiver, startReceiver } from '../spec/push/receiver.ts'

suite('the SDK and a running server', () => {
  let harness: LabHarness
  let client: ReturnType<typeof createClient>
  let ada: AccountClient
  let receiver: Receiver
  let account: string
  before(async () => {
    harness = await startLabHarness()
    receiver = await startReceiver()
    const { clientId, secret } = harness.app
    client = createClient({ baseUrl: harness.tributary.url, clientId, clientSecret: secret, retryBaseMs: 5 })
    const started = await client.startConnect({ service: 'demo-social', redirect_uri: REDIRECT })
    const back = await walk(started.url, { person: 'ada' })
    const connected = await client.finishConnect(back, started, { profile: 'last' })
    ada = client.account(connected.access_token)
    account = connected.account
    assert.ok(connected.profile)
  })
  after(async () => {
    await receiver.close()
    await harness.stop()
  })

  test('progress is followed live until the first sync is done', async () => {
    const events: string[] = []
    for await (const { event, progress } of ada.profiles.follow('demo-social')) {
      events.push(event)
      assert.ok(Object.values(progress).every(({ state, items }) => typeof state === 'string' && items >= 0))
    }
    assert.equal(events.at(-1), 'done')
    assert.equal(events.filter((event) => event === 'done').length, 1)
  })

  test('items are iterated over pages, streamed, counted and read one by one, with the shape of their type', async () => {
    const total = Number((await ada.counts())['photos'])
    assert.ok(total > 5)
    const ids: string[] = []
    for await (const photo of ada.items('photos', { limit: 3, map: true })) {
      assert.equal(photo.types.photo, true)
      assert.equal(typeof photo.oembed?.url, 'string')
      assert.equal(typeof photo.map?.image, 'string')
      ids.push(photo.id)
    }
    assert.equal(new Set(ids).size, total)
    const streamed: string[] = []
    for await (const { id } of ada.stream('photos', { limit: 1_000_000 })) streamed.push(id)
    assert.deepEqual(streamed, ids)
    const first = await ada.items('photos', { limit: 2, count: true }).first()
    assert.deepEqual([first.items.length, first.total], [2, total])
    const next = await ada.items('photos', first.next).first()
    assert.deepEqual(
      [...first.items, ...next.items].map(({ id }) => id),
      ids.slice(0, 4),
      'the next page can be read later',
    )
    const [named] = await ada.items('photos', { limit: 1, fields: ['data.id', 'map.name'] }).take(1)
    assert.deepEqual(Object.keys(named!), ['data.id', 'map.name'])
    const item = await ada.item(ids[0]!)
    assert.equal((await ada.item(item.idr)).id, ids[0])
    const [, service = ''] = /@([\w-]+)\//.exec(item.idr)!
    assert.equal(service, 'demo-social')
    const counts = await ada.endpoints.counts('demo-social')
    assert.ok(Number(counts['photos']) > 0)
    const [listed] = await ada.endpoints.items('demo-social', 'photos').take(1)
    assert.ok((await ada.endpoints.item('demo-social', 'photos', listed!.idr.split('#')[1]!)).id.length > 0)
  })

  test('people and profiles are read', async () => {
    assert.equal((await ada.person()).name, 'Ada Marlowe')
    const { 'demo-social': [profile] = [] } = await ada.profiles.list({ full: true })
    assert.ok(typeof profile === 'object' && profile.state === 'active')
    assert.equal((await ada.profiles.get(profile.profile)).id, (await ada.profiles.get('demo-social')).id)
    const [person, other] = await ada.people.list({ limit: 2 }).take(3)
    assert.equal((await ada.people.get(person!.id)).id, person!.id)
    const { decision, people } = await ada.people.join([person!.id, other!.id])
    assert.deepEqual([people.length, people[0]!.joined[0]!.by, decision.kind], [1, 'app', 'join'])
    const contact = [person!.id, other!.id].find((id) => id !== people[0]!.id)!
    assert.equal((await ada.people.split(people[0]!.id, [contact])).people.length, 2)
    for (const { id } of await ada.people.decisions.list()) await ada.people.decisions.undo(id)
    assert.deepEqual(await ada.people.decisions.list(), [])
    assert.equal((await ada.profiles.pause('demo-social')).state, 'paused')
    await assert.rejects(ada.profiles.sync('demo-social'), { reason: 'profile_paused' })
    await client.accounts.resume(account, 'demo-social')
    assert.match((await client.accounts.reconnect(account, 'demo-social')).url, /^http/)
    const accounts = await client.accounts.list({ limit: 1, count: true }).first()
    assert.equal(accounts.total, 1)
    assert.equal((await client.accounts.get(account)).id, account)
  })

  test('own items are stored, changes follow a cursor, and deletions come', async () => {
    const start = await ada.changes({ cursor: 'now' }).next()
    const { cursor } = start.value!
    assert.deepEqual(await ada.own.store('notes', [{ id: 'n1', type: 'statuses', text: 'hello' }]), {
      added: 1,
      changed: 0,
      unchanged: 0,
    })
    assert.equal((await ada.own.items('notes').take(9)).length, 1)
    const stop = new AbortController()
    const seen: string[] = []
    await assert.rejects(async () => {
      for await (const page of ada.followChanges({ cursor }, { pollMs: 10, signal: stop.signal })) {
        seen.push(...page.changes.map(({ change }) => change))
        if (seen.length === 1) await ada.own.remove('notes', 'n1')
        else stop.abort(new Error('done'))
      }
    }, /done/)
    assert.deepEqual(seen, ['upsert', 'delete'])
    await assert.rejects(ada.own.item('notes', 'n1'), { reason: 'not_found' })
  })

  test('the proxy is a fetch: statuses of the service are returned, refusals of Tributary are thrown', async () => {
    const social = ada.proxy('demo-social')
    const me = await social('/me')
    assert.equal(me.status, 200)
    assert.equal(((await me.json()) as { name: string }).name, 'Ada Marlowe')
    assert.equal((await social('/no/such/path')).status, 404)
    const written = await social('/me/feed', { method: 'POST', body: new URLSearchParams({ message: 'from the SDK' }) })
    assert.ok(written.status < 500)
    await written.body?.cancel()
    const error = await ada
      .proxy('demo-micro')('/me')
      .catch((thrown: unknown) => thrown)
    assert.ok(isTributaryError(error, 'no_profile'))
    const { 'demo-social': [id] = [] } = await ada.profiles.list()
    assert.ok(typeof id === 'string')
    assert.equal((await ada.proxy(`${id}@demo-social`)('me?fields=id')).status, 200)
  })

  test('a webhook is added, verified and managed; archives are listed apart', async () => {
    const made = await client.push.add({
      name: 'hook',
      kind: 'webhook',
      url: receiver.url,
      filter: ['/services/self/*'],
    })
    const first = made.secret!
    assert.equal((await client.push.test(made.id)).ok, true)
    const { secret: second } = await client.push.rotateSecret(made.id)
    await ada.own.store('notes', [{ id: 'n2', type: 'statuses', text: 'pushed' }])
    const message = await until('the change arrives', () =>
      receiver.messages.find(({ body }) => body.includes('pushed')),
    )
    const headers = message.headers as Record<string, string>
    for (const secrets of [first, second, [first, second]]) {
      const verified: WebhookMessage = await verifyWebhook(message.body, headers, secrets)
      assert.ok(verified.type === 'items.changed')
      const change = verified.data.changes.find(({ native_id: id }) => id === 'n2')
      assert.ok(change?.op === 'put')
      assert.deepEqual([change.native_id, change.service], ['n2', 'self'])
      assert.equal(verified.data.profile.account, account)
    }
    await assert.rejects(verifyWebhook(`${message.body}x`, headers, first), { reason: 'signature_wrong' })
    const [delivery] = await client.push.deliveries(made.id, { limit: 1 }).take(2)
    assert.equal(delivery!.ok, true)
    assert.equal((await client.push.pause(made.id)).state, 'paused')
    assert.equal((await client.push.change(made.id, { name: 'renamed' })).name, 'renamed')
    assert.deepEqual(await client.archives.list(), [])
    await assert.rejects(client.archives.add({ name: 'a', url: 'file:///etc', format: 'ndjson' }), { status: 400 })
    assert.deepEqual(await client.push.remove(made.id), { deleted: made.id })
    await assert.rejects(client.push.get(made.id), { reason: 'not_found' })
  })

  test('a creating request with the same key creates once, and another body is a conflict', async () => {
    const one = { name: 'once', kind: 'webhook' as const, url: receiver.url, filter: ['/services/self/*'] }
    const first = await client.push.add(one, { idempotencyKey: 'order-0001' })
    assert.deepEqual(await client.push.add(one, { idempotencyKey: 'order-0001' }), first, 'with the same secret')
    await assert.rejects(client.push.add({ ...one, name: 'other' }, { idempotencyKey: 'order-0001' }), {
      reason: 'idempotency_conflict',
      status: 422,
    })
    assert.equal((await client.push.list()).filter(({ name }) => name === 'once').length, 1)
    await client.push.remove(first.id)
  })

  test('the changes of all accounts are followed, the account is exported, and the overall state is known', async () => {
    const begun = await client.changes.read({ cursor: 'now' }).next()
    const { cursor } = begun.value!
    const stop = new AbortController()
    const following = (async () => {
      for await (const page of client.changes.follow({ cursor }, { signal: stop.signal }))
        for (const each of page.changes) if (each.change === 'upsert') return each
      return undefined
    })()
    await ada.own.store('notes', [{ id: 'n3', type: 'statuses', text: 'fed' }])
    const change = await following
    assert.ok(change?.change === 'upsert')
    assert.equal(change.account, account)
    for (const lines of [client.accounts.export(account), ada.export()]) {
      const read: Record<string, unknown>[] = []
      for await (const line of lines) read.push(line)
      assert.equal(read[0]!['account'], account)
      assert.ok(read.length > 5)
    }
    assert.equal((await ada.sync.get()).state, 'complete')
    assert.ok(Array.isArray(await ada.agents.list()))
    await client.changes.end()
  })

  test('a return with another state, server or code, or after a refusal, gives no token', async () => {
    const started = await client.startConnect({ service: 'demo-social', redirect_uri: REDIRECT })
    const back = await walk(started.url, { person: 'ben', decision: 'deny' })
    await assert.rejects(client.finishConnect(back, started), { name: 'ConnectError', reason: 'access_denied' })
    const again = await client.startConnect({ service: 'demo-social', redirect_uri: REDIRECT })
    const allowed = await walk(again.url, { person: 'ben' })
    await assert.rejects(client.finishConnect(allowed, { ...again, state: 'other' }), { reason: 'state_mismatch' })
    const elsewhere = createClient({ baseUrl: harness.tributary.url, clientId: 'x', issuer: 'https://other.test' })
    await assert.rejects(elsewhere.finishConnect(allowed, again), { reason: 'issuer_mismatch' })
    await assert.rejects(client.finishConnect(`${REDIRECT}?state=${again.state}`, again), ConnectError)
    await assert.rejects(client.finishConnect(allowed, { ...again, verifier: started.verifier }), {
      reason: 'code_invalid',
    })
    const third = await client.startConnect({ service: 'demo-social', redirect_uri: REDIRECT })
    const page = await walk(third.url, { person: 'ben' })
    await client.finishConnect(page, third)
    await assert.rejects(client.finishConnect(page, third), {
      name: 'ConnectError',
      reason: 'code_invalid',
      message: /already used.* redirect the browser after `finishConnect`/,
    })
  })

  test('a public client exchanges without a secret; its token ends itself', async () => {
    const { clientId } = await harness.makeApp({ isPublic: true })
    const open = createClient({ baseUrl: harness.tributary.url, clientId })
    const started = await open.startConnect({ service: 'demo-social', redirect_uri: REDIRECT })
    const { access_token: token } = await open.finishConnect((await walk(started.url, { person: 'ben' })).href, started)
    const ben = open.account(token)
    assert.ok((await ben.person()).name)
    await ben.revoke()
    const error = await ben.person().catch((thrown: unknown) => thrown)
    assert.ok(isTributaryError(error, 'token_invalid', 'token_missing'))
    assert.deepEqual([error.status, error.code], [401, 40102])
    await assert.rejects(ben.profiles.follow('demo-social').next(), { reason: 'token_invalid' })
    await assert.rejects(open.push.list(), { reason: 'app_secret_invalid' })
  })

  test('a parameter that is refused is named', async () => {
    await assert.rejects(ada.items('photos', { limit: 'x' }).first(), { reason: 'bad_parameter', param: 'limit' })
    await assert.rejects(ada.items('photos', { limit: -1 }).take(1), { reason: 'bad_parameter', param: 'limit' })
  })

  test('an operator creates an app and its keys', async () => {
    const { url, adminToken } = harness.tributary
    const admin = createAdmin({ baseUrl: url, adminToken })
    const made = await admin.apps.create({ name: 'Made', redirect_uris: ['https://made.test/'] })
    await admin.keys.set(made.client_id, 'github', { key: 'k', secret: 's' })
    assert.deepEqual(
      (await admin.keys.list(made.client_id)).map(({ service }) => service),
      ['github'],
    )
    const calls = await until(
      'the calls of the proxy are logged',
      () => admin.apps.calls(harness.app.clientId, { limit: 1 }).take(3),
      ({ length }) => length === 3,
    )
    assert.equal(new Set(calls.map(({ id }) => id)).size, 3, 'one on each page')
    assert.deepEqual(await admin.apps.remove(made.client_id), { deleted: made.client_id })
    assert.equal((await client.server.ready()).ready, true)
  })

  test('a person disconnects, and following the sync ends with the reason', async () => {
    await ada.profiles.remove('demo-social')
    await assert.rejects(ada.profiles.follow('demo-social').next(), { reason: 'no_profile' })
  })
})
