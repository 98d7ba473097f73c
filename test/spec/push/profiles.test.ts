import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { type ClientDatabase, clientDatabase } from '../../harness/database/client-database.ts'
import { type LabHarness, startLabHarness } from '../../harness/lab.ts'
import { pusher } from '../../harness/push.ts'
import { send } from '../../harness/send.ts'
import { signIn } from '../../harness/sign-in.ts'
import { synced as untilSynced } from '../../harness/sync.ts'
import { until } from '../../harness/until.ts'
import { type Receiver, startReceiver } from './receiver.ts'

suite('profiles that connect, merge and disconnect', () => {
  let harness: LabHarness
  let theirs: ClientDatabase
  let receiver: Receiver
  let app: Awaited<ReturnType<LabHarness['makeApp']>>
  before(async () => {
    harness = await startLabHarness()
  })
  after(() => harness.stop())
  beforeEach(async () => {
    theirs = await clientDatabase()
    receiver = await startReceiver()
    app = await harness.makeApp()
  })
  afterEach(async () => {
    await theirs.drop()
    await receiver.close()
  })

  const add = (fields: Record<string, unknown>) => pusher(harness, app).add(fields)
  const show = (made: { id: string }) => pusher(harness, app).show(made)
  const caughtUp = (made: { id: string }) =>
    until(
      'it is caught up',
      () => show(made),
      ({ profiles, profiles_behind: behind }) => behind === 0 && profiles > 0,
    )
  const synced = (token: string, service: string) => untilSynced(harness, token, service)
  const account = (token: string, service: string, person: string) =>
    signIn(harness, service, person, token === '' ? { flag: 'dm' } : { access_token: token, flag: 'dm' }, app)
  const rows = async (where = 'true') =>
    (
      await theirs.sql<{ n: number }>(
        `select count(*)::int as n from tributary_items where deleted_at is null and ${where}`,
      )
    )[0]!.n

  test('a first sync is delivered while it runs, with the items of the store', async () => {
    const made = await add({ kind: 'postgres', url: theirs.url, filter: ['*'] })
    const { access_token: token, account: id } = await account('', 'demo-social', 'ada')
    await synced(token, 'demo-social')
    await caughtUp(made)
    const stored = await harness.sql<{ native_id: string; seq: string; data: unknown }>(
      `select i.native_id, i.seq::text, i.data from item i join profile p on p.shard = i.shard and p.id = i.profile_id where p.account_id = $1 order by i.seq`,
      [id],
    )
    const there = await theirs.sql('select native_id, seq::text, data from tributary_items i order by i.seq')
    assert.ok(stored.length > 100)
    assert.equal(there.length, stored.length)
    for (const [i, row] of stored.entries()) assert.deepEqual(there[i], row)
    const [profile] = await theirs.sql(
      'select account_id, service, handle is not null as named, state from tributary_profiles',
    )
    assert.deepEqual(profile, { account_id: id, service: 'demo-social', named: true, state: 'active' })
    const views = await theirs.sql<{ photos: number; contacts: number }>(
      'select (select count(*) from tributary_photos)::int as photos, (select count(*) from tributary_contacts)::int as contacts',
    )
    assert.ok(views[0]!.photos > 0 && views[0]!.contacts > 0)
  })

  test('P17 a merge moves rows to the other account, and duplicates are delivered once', async () => {
    const made = await add({ kind: 'postgres', url: theirs.url, filter: ['*'] })
    await add({ kind: 'webhook', url: receiver.url, filter: ['/types/tracks'], options: { events: true } })
    const one = await account('', 'demo-health', 'ada')
    const own = await send(harness, 'POST', '/services/self/notes', { token: one.access_token, json: [{ id: 'mine' }] })
    assert.equal(own.status, 200)
    const other = await account('', 'demo-health', 'ben')
    // Both accounts have the same service user.
    await account(other.access_token, 'demo-health', 'ada')
    for (const { access_token: token } of [one, other]) await synced(token, 'demo-health')
    await caughtUp(made)
    const adas = `profile_id in (select id from tributary_profiles where native_id = (select native_id from tributary_profiles where service = 'demo-health' group by 1 having count(*) = 2))`
    const before = await rows(adas)
    assert.ok(before > 0)
    const merged = await send(harness, 'GET', '/auth/merge', {
      query: { source: one.access_token, dest: other.access_token },
    })
    assert.equal(merged.status, 200, merged.text)
    await until(
      'nobody is left in the old account',
      async () =>
        (await theirs.sql('select 1 from tributary_profiles where account_id = $1', [one.account])).length === 0,
    )
    await caughtUp(made)
    assert.equal(await rows(adas), before / 2, 'what both had is there once')
    assert.equal(await rows(`native_id = 'mine'`), 1)
    const tried = await pusher(harness, app).request('POST', `/push/${made.id}/test`)
    const { items, exact } = tried.body['matches'] as { items: number; exact: boolean }
    assert.deepEqual({ items, exact }, { items: await rows(), exact: true }, 'and test counts them once')
    const doubles = await theirs.sql(
      `select i.id from tributary_items i join tributary_profiles p on p.id = i.profile_id where i.deleted_at is null group by p.account_id, i.id having count(*) > 1`,
    )
    assert.deepEqual(doubles, [])
    await until('the event was sent', () => receiver.messages.some(({ type }) => type === 'account.merged'))
    const event = receiver.messages.find(({ type }) => type === 'account.merged')!
    const { merged_profiles: mergedProfiles, ...accounts } = event.data
    assert.deepEqual(accounts, { account: other.account, source: one.account })
    const pairs = mergedProfiles as { profile: string; into: string }[]
    assert.equal(pairs.length, 1)
    assert.notEqual(pairs[0]!.profile, pairs[0]!.into)
  })

  test('P18 a disconnected profile is erased at every destination, and so is a deleted account', async () => {
    const made = await add({ kind: 'postgres', url: theirs.url, filter: ['*'] })
    await add({ kind: 'webhook', url: receiver.url, filter: ['*'], options: { events: true } })
    const ada = await account('', 'demo-health', 'ada')
    await account(ada.access_token, 'demo-micro', 'ada')
    const ben = await account('', 'demo-health', 'ben')
    for (const [token, service] of [
      [ada.access_token, 'demo-health'],
      [ada.access_token, 'demo-micro'],
      [ben.access_token, 'demo-health'],
    ] as const)
      await synced(token, service)
    await caughtUp(made)
    const bens = await rows(`profile_id in (select id from tributary_profiles where account_id = '${ben.account}')`)
    assert.ok(bens > 0 && (await rows(`service = 'demo-micro'`)) > 0)
    assert.equal((await send(harness, 'DELETE', '/profiles/demo-micro', { token: ada.access_token })).status, 200)
    await until(
      'the rows are gone',
      async () => (await theirs.sql(`select 1 from tributary_items where service = 'demo-micro'`)).length === 0,
    )
    assert.ok((await rows(`service = 'demo-health'`)) > bens)
    assert.equal((await send(harness, 'DELETE', '/profiles', { token: ada.access_token })).status, 200)
    await until('nothing of her is left', async () => {
      const left = await theirs.sql(
        `select id from tributary_profiles where account_id = $1 union all select item_id from tributary_participants p where not exists (select 1 from tributary_items i where i.profile_id = p.profile_id)`,
        [ada.account],
      )
      return left.length === 0
    })
    assert.equal(await rows(), bens)
    await until(
      'both erasures are sent',
      () => receiver.messages.filter(({ type }) => type === 'profile.erased').length >= 2,
    )
    await until('the event was sent', () => receiver.messages.some(({ type }) => type === 'account.erased'))
    assert.deepEqual(receiver.messages.find(({ type }) => type === 'account.erased')!.data, { account: ada.account })
    assert.equal((await show(made))['profiles'], 1)
    await harness.tributary.idle('syncs')
    await harness.tributary.idle('deliveries')
    assert.equal(await rows(), bens, 'and nothing comes back')
  })

  test('a profile that needs a new sign-in has that state at the destination and causes an event', async () => {
    const made = await add({ kind: 'postgres', url: theirs.url, filter: ['*'] })
    await add({ kind: 'webhook', url: receiver.url, filter: ['/types/tracks'], options: { events: true } })
    const ada = await account('', 'demo-micro', 'ada')
    await synced(ada.access_token, 'demo-micro')
    await caughtUp(made)
    assert.ok(harness.lab.services['demo-micro'].tokens.revoke('ada') > 0)
    await send(harness, 'POST', '/profiles/demo-micro/sync', { token: ada.access_token })
    await until(
      'the state is there',
      async () => (await theirs.sql(`select 1 from tributary_profiles where state = 'needs_auth'`)).length === 1,
    )
    await until('the event was sent', () => receiver.messages.some(({ type }) => type === 'profile.needs_auth'))
    const event = receiver.messages.find(({ type }) => type === 'profile.needs_auth')!
    assert.equal(event.data['account'], ada.account)
  })
})
