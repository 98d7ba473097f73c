import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type ClientDatabase, clientDatabase } from '../../harness/database/client-database.ts'
import type { OwnItem } from '../../harness/own-items.ts'
import type { Person } from '../../harness/person.ts'
import type { Shown } from '../../harness/push.ts'
import { until } from '../../harness/until.ts'
import { type PushHarness, startPushHarness, type Tenant } from './fixture.ts'
import { startReceiver } from './receiver.ts'

const ITEMS: OwnItem[] = [
  { id: 'cat', type: 'photos', title: 'A cat in Berlin', lat: 52.52, lng: 13.405, at: 1000 },
  { id: 'dog', type: 'photos', title: 'A dog in Lisbon', lat: 38.72, lng: -9.14, at: 2000 },
  { id: 'talk', type: 'statuses', text: 'Cats and people', author: 'ada', participants: ['ben', 'cleo'], at: 3000 },
  { id: 'note', type: 'statuses', text: 'Alone with a cat', author: 'ben', at: 4000 },
  { id: 'later', type: 'events', title: 'Fair', at: 4_000_000_000_000 },
  { id: 'old', type: 'photos', title: 'Before all time', at: -5000 },
  { id: 'plain', note: 'no type at all', at: 6000 },
]
const ALL = ITEMS.map(({ id }) => String(id)).sort()

suite('filters', () => {
  let harness: PushHarness
  let theirs: ClientDatabase
  let app: Tenant
  let ada: Person
  let made: Shown[]
  before(async () => {
    harness = await startPushHarness()
    theirs = await clientDatabase()
    app = await harness.newTenant()
    ada = await app.newPerson()
    await harness.put(
      ada,
      ITEMS.filter(({ id }) => id !== 'plain'),
    )
    await harness.put(
      ada,
      ITEMS.filter(({ id }) => id === 'plain'),
      'others',
    )
    // All in parallel, each in its own schema.
    made = await Promise.all(
      cases.map(([filter], i) => app.add({ kind: 'postgres', url: theirs.url, filter, options: { schema: `f${i}` } })),
    )
  })
  after(async () => {
    await harness.stop()
    await theirs.drop()
  })

  const cases: [filter: string[], wanted: string[]][] = [
    [['*'], ALL],
    [['/types/photos'], ['cat', 'dog', 'old']],
    [['/types/all'], ALL.filter((id) => id !== 'plain')],
    [['/types/photos?q=cat'], ['cat']],
    [['*?q=cat'], ['cat', 'note']],
    [['*?q=cat*'], ['cat', 'note', 'talk']],
    [['/types/all?near=52.5,13.4&within=20'], ['cat']],
    [['/types/statuses?participants=ben'], ['note', 'talk']],
    [['/types/statuses?participants=^ben'], ['note']],
    [['/types/statuses?participants=>3'], ['talk']],
    [['/types/all?since=2000&until=4000'], ['dog', 'note', 'talk']],
    [['/services/self/others'], ['plain']],
    [['/services/self/*?q=fair'], ['later']],
    [['/services/self'], ALL],
    [['/types/photos?services=demo-social'], []],
    [['/services/demo-social/posts'], []],
    [
      ['/types/photos?q=dog', '/services/self/others', '/types/events'],
      ['dog', 'later', 'plain'],
    ],
    [['/types/photos?limit=1&sort=asc&fields=data.title'], ['cat', 'dog', 'old']],
  ]
  for (const [i, [filter, wanted]] of cases.entries()) {
    test(`${filter.join(' ')} matches ${wanted.length} of ${ITEMS.length} items`, async () => {
      const { id } = made[i]!
      await until('it is caught up', async () => (await app.show({ id })).profiles_behind === 0)
      const found = await theirs.sql<{ there: boolean }>(
        `select to_regclass('f${i}.tributary_items') is not null as there`,
      )
      const rows = found[0]!.there
        ? await theirs.sql<{ native_id: string }>(
            `select native_id from f${i}.tributary_items where deleted_at is null`,
          )
        : []
      assert.deepEqual(rows.map(({ native_id }) => native_id).sort(), [...wanted].sort())
      const matches = (await app.ask('POST', `/push/${id}/test`)).body['matches'] as { items: number }
      assert.equal(matches.items, wanted.length, 'the dry run counted the same')
      await app.ask('DELETE', `/push/${id}`)
    })
  }

  test('an item is delivered when it starts to match and deleted when it no longer matches', async () => {
    const { id } = await app.add({ kind: 'postgres', url: theirs.url, filter: ['/types/photos?q=cat'] })
    await until('the cat is delivered', async () => (await theirs.live()).join() === 'cat')
    await harness.put(ada, [{ id: 'dog', type: 'photos', title: 'The dog became a cat' }])
    await until('both are delivered', async () => (await theirs.live()).join() === 'cat,dog')
    await harness.put(ada, [{ id: 'cat', type: 'photos', title: 'Only a tree' }])
    await until('the first is gone', async () => (await theirs.live()).join() === 'dog')
    await harness.take(ada, ['dog', 'later'])
    await until('none is left', async () => (await theirs.live()).length === 0)
    await app.ask('DELETE', `/push/${id}?drop=true`)
  })

  test('a webhook gets deletes of items that no longer match, and nothing of items that never could', async () => {
    const receiver = await startReceiver()
    const { id } = await app.add({ kind: 'webhook', url: receiver.url, filter: ['/types/photos?q=tiger'] })
    await until('it is caught up', async () => (await app.show({ id })).profiles_behind === 0)
    receiver.messages.length = 0
    await harness.put(ada, [{ id: 'stripes', type: 'photos', title: 'A tiger' }])
    await until('it comes', () => receiver.changes().some(({ op }) => op === 'put'))
    // Neither was ever a photo: not even an empty message is sent.
    await harness.put(ada, [{ id: 'word', type: 'statuses', text: 'a tiger, in words' }])
    await harness.put(ada, [{ id: 'stripes', type: 'photos', title: 'A zebra' }])
    await until('it goes', () => receiver.changes().some(({ op }) => op === 'delete'))
    assert.deepEqual(
      receiver.messages.flatMap(({ type, data }) =>
        (data.changes ?? []).map((each) => `${type} ${each.op} ${each.native_id}`),
      ),
      ['items.changed put stripes', 'items.changed delete stripes'],
    )
    assert.deepEqual(
      receiver.messages.map(({ type }) => type),
      ['items.changed', 'items.changed'],
    )
    await harness.take(ada, ['stripes', 'word'])
    await app.ask('DELETE', `/push/${id}`)
    await receiver.close()
  })

  test('a message is deleted only if it was delivered, also for people who come later, after replays and deletions', async () => {
    const receiver = await startReceiver()
    const tenant = await harness.newTenant()
    const made = await tenant.add({ kind: 'webhook', url: receiver.url, filter: ['/types/photos?q=r1'] })
    const late = await tenant.newPerson()
    const said = () => receiver.changes().map(({ op, native_id }) => `${op} ${native_id}`)
    const delivered = async () => {
      await until('somebody is there', async () => (await tenant.show(made)).profiles > 0)
      await tenant.caughtUp(made)
      return said()
    }
    const photo = (id: string, title: string): OwnItem => ({ id, type: 'photos', title })
    await harness.put(late, [photo('a', 'r1'), photo('b', 'other'), photo('c', 'other'), photo('d', 'r1 too')])
    assert.deepEqual(await delivered(), ['put a', 'put d'])
    // Neither a change nor the deletion of an item that never matched is a message.
    await harness.put(late, [photo('b', 'another'), photo('a', 'no longer')])
    await harness.take(late, ['c', 'd'])
    await until('both are deleted', () => said().filter((each) => each.startsWith('delete')).length === 2)
    assert.deepEqual((await delivered()).slice(2).sort(), ['delete a', 'delete d'])
    // A receiver that lost its data gets the same again.
    receiver.messages.length = 0
    await tenant.ask('POST', `/push/${made.id}/backfill`)
    await until('they come again', () => said().length >= 2)
    assert.deepEqual((await delivered()).toSorted(), ['delete a', 'delete d'])
    // An item that did not match, matches, and does not match again.
    receiver.messages.length = 0
    await harness.put(late, [photo('b', 'r1 at last')])
    await until('it comes', () => said().length === 1)
    await harness.put(late, [photo('b', 'gone')])
    await until('it goes', () => said().length === 2)
    assert.deepEqual(await delivered(), ['put b', 'delete b'])
    const records = () => harness.sql('select item_id from delivered_item where destination_id = $1', [made.id])
    assert.equal((await records()).length, 3)
    await fetch(`${harness.tributary.url}/profiles`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${late.token}` },
    })
    await until('the person is erased', () => receiver.messages.some(({ type }) => type === 'profile.erased'))
    await until('and so are the records', async () => (await records()).length === 0)
    await tenant.ask('DELETE', `/push/${made.id}`)
    await receiver.close()
  })

  test('a filter that gets parameters later sends no deletes of items that match neither then nor before', async () => {
    const receiver = await startReceiver()
    const tenant = await harness.newTenant()
    const person = await tenant.newPerson()
    const photo = (id: string, title: string): OwnItem => ({ id, type: 'photos', title })
    await harness.put(person, [photo('a', 'r1'), photo('b', 'other')])
    const made = await tenant.add({ kind: 'webhook', url: receiver.url, filter: ['/types/photos'] })
    await until('both come', () => receiver.changes().length === 2)
    await tenant.caughtUp(made)
    receiver.messages.length = 0
    await tenant.ask('PATCH', `/push/${made.id}`, { filter: ['/types/photos?q=r1'] })
    const said = () => receiver.changes().map(({ op, native_id }) => `${op} ${native_id}`)
    await until('everything comes again', () => said().length === 2)
    assert.deepEqual(said().toSorted(), ['delete b', 'put a'])
    await tenant.caughtUp(made)
    receiver.messages.length = 0
    await harness.put(person, [photo('c', 'never')])
    await harness.put(person, [photo('a', 'not any more')])
    await until('the deletion comes', () => said().length > 0)
    await tenant.caughtUp(made)
    assert.deepEqual(said(), ['delete a'])
    // Without parameters nothing is recorded, so what was recorded before is no longer trusted.
    const recording = async () =>
      (
        await harness.sql<{ recording: string }>('select recording from delivery_cursor where destination_id = $1', [
          made.id,
        ])
      )
        .map((row) => row.recording)
        .join()
    assert.equal(await recording(), 'complete')
    await tenant.ask('PATCH', `/push/${made.id}`, { filter: ['*'] })
    await until('it is noted', async () => (await recording()) === 'none')
    await tenant.ask('DELETE', `/push/${made.id}`)
    await receiver.close()
  })

  test('after a run of an older release, which records nothing, deletes are sent for every item that may have been delivered', async () => {
    const receiver = await startReceiver()
    const tenant = await harness.newTenant()
    const person = await tenant.newPerson()
    const made = await tenant.add({ kind: 'webhook', url: receiver.url, filter: ['/types/photos?q=r1'] })
    await harness.put(person, [{ id: 'a', type: 'photos', title: 'r1' }])
    await until('it comes', () => receiver.changes().length === 1)
    await tenant.caughtUp(made)
    await harness.idle()
    // What such a run leaves: a new epoch, and an item that it delivered.
    await harness.sql('update delivery_cursor set epoch = epoch + 1 where destination_id = $1', [made.id])
    await harness.sql('delete from delivered_item where destination_id = $1', [made.id])
    await harness.put(person, [{ id: 'a', type: 'photos', title: 'no longer' }])
    await until('it goes', () => receiver.changes().some(({ op }) => op === 'delete'))
    // Everything again, and it is known again what the receiver has.
    await tenant.ask('POST', `/push/${made.id}/backfill`)
    await until('it is delivered again', () => receiver.changes().length === 3)
    await tenant.caughtUp(made)
    await harness.put(person, [{ id: 'b', type: 'photos', title: 'never' }])
    await harness.put(person, [{ id: 'c', type: 'photos', title: 'r1' }])
    await until('the last comes', () => receiver.changes().some(({ native_id }) => native_id === 'c'))
    assert.ok(!receiver.changes().some(({ native_id }) => native_id === 'b'))
    await tenant.ask('DELETE', `/push/${made.id}`)
    await receiver.close()
  })

  test('a changed filter delivers what matches now and deletes what no longer does', async () => {
    await harness.put(ada, [{ id: 'dog', type: 'photos', title: 'A dog again' }])
    const { id } = await app.add({ kind: 'postgres', url: theirs.url, filter: ['/types/photos'] })
    await until('photos', async () => (await theirs.live()).join() === 'cat,dog,old')
    await app.ask('PATCH', `/push/${id}`, { filter: ['/types/statuses', '/types/photos?q=dog'] })
    await until('others', async () => (await theirs.live()).join() === 'dog,note,talk')
    await app.ask('PATCH', `/push/${id}`, { filter: ['/services/demo-social/*'] })
    await until('nothing', async () => (await theirs.live()).length === 0)
    await app.ask('PATCH', `/push/${id}`, { filter: ['/types/photos'] })
    await until('photos again', async () => (await theirs.live()).join() === 'cat,dog,old')
    await app.ask('DELETE', `/push/${id}?drop=true`)
  })
})
