import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { type ClientDatabase, clientDatabase } from '../../harness/database/client-database.ts'
import type { Person } from '../../harness/person.ts'
import { until } from '../../harness/until.ts'
import { type PushHarness, startPushHarness, type Tenant } from './fixture.ts'
import { type Receiver, startReceiver } from './receiver.ts'

interface Delivery {
  id: string
  ok: boolean
  rows: number
  attempt: number
  first_seq?: number
  last_seq?: number
  error?: string
}

suite('delivery', () => {
  let harness: PushHarness
  let theirs: ClientDatabase
  let receiver: Receiver
  let app: Tenant
  let ada: Person
  before(async () => {
    harness = await startPushHarness()
    receiver = await startReceiver()
  })
  after(async () => {
    await harness.stop()
    await receiver.close()
  })
  afterEach(() => theirs.drop())
  beforeEach(async () => {
    theirs = await clientDatabase()
    receiver.messages.length = 0
    app = await harness.newTenant()
    ada = await app.newPerson()
  })

  test('existing, new, changed and deleted items are delivered as rows', async () => {
    const thing = {
      id: '9007199254740993',
      type: 'photos',
      title: 'Ein Löwe 🦁 "quoted" \\ back',
      author: 'ada',
      participants: ['ben', 'cleo'],
      lat: 52.5,
      lng: 13.4,
      at: 1_700_000_000_123,
      deep: { list: [1, null, 'x'], zero: 0, no: false, empty: '' },
    }
    await harness.put(ada, [thing])
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    await until('the first is delivered', async () => (await theirs.live()).length === 1)
    const [row] = await theirs.sql(
      `select id, idr, service, endpoint, native_id, extract(epoch from at)::float8 as at, types, author, lat, lng, data, map ->> 'title' as title, seq::int as seq, deleted_at
       from tributary_items`,
    )
    const [read] = (await (
      await fetch(`${harness.tributary.url}/services/self/things`, {
        headers: { authorization: `Bearer ${ada.token}` },
      })
    ).json()) as { id: string; idr: string }[]
    assert.deepEqual(row, {
      id: read!.id,
      idr: read!.idr,
      service: 'self',
      endpoint: 'things',
      native_id: thing.id,
      at: 1_700_000_000.123,
      types: ['photos'],
      author: 'ada',
      lat: 52.5,
      lng: 13.4,
      data: thing,
      title: thing.title,
      seq: 1,
      deleted_at: null,
    })
    assert.deepEqual(
      await theirs.sql('select participant, position, is_author from tributary_participants order by position'),
      [
        { participant: 'ada', position: 0, is_author: true },
        { participant: 'ben', position: 1, is_author: false },
        { participant: 'cleo', position: 2, is_author: false },
      ],
    )
    assert.deepEqual(await theirs.sql('select account_id, service, state from tributary_profiles'), [
      { account_id: ada.account.id, service: 'self', state: 'active' },
    ])
    assert.equal((await theirs.sql('select title from tributary_photos')).length, 1)

    await harness.put(ada, [{ id: 'second' }])
    await until('the second is delivered', async () => (await theirs.live()).length === 2)
    await harness.put(ada, [{ ...thing, title: 'Changed', participants: [] }])
    await until(
      'it is changed',
      async () =>
        (await theirs.sql(`select 1 from tributary_items where data ->> 'title' = 'Changed' and seq = 3`)).length === 1,
    )
    assert.deepEqual(
      await theirs.sql('select participant from tributary_participants where item_id = $1', [read!.id]),
      [{ participant: 'ada' }],
    )
    await harness.take(ada, ['second'])
    await until('it is gone', async () => (await theirs.live()).length === 1)
    const [gone] = await theirs.sql(
      `select seq::int as seq, deleted_at is not null as gone from tributary_items where native_id = 'second'`,
    )
    assert.deepEqual(gone, { seq: 4, gone: true })
    await harness.put(ada, [{ id: 'second', back: true }])
    await until('it is back', async () => (await theirs.live()).length === 2)
    const [checkpoint] = await theirs.sql('select seq::int as seq from tributary_checkpoint')
    assert.deepEqual(checkpoint, { seq: 5 })
    await app.caughtUp(made)
    const shown = await app.show(made)
    assert.deepEqual([shown.rows, shown.profiles, shown.changes_behind, shown['behind_since']], [5, 1, 0, undefined])
  })

  test('a webhook gets changes in order and signed, by both secrets during a rotation', async () => {
    const made = await app.add({ kind: 'webhook', url: receiver.url })
    await harness.put(ada, [{ id: 'a' }, { id: 'b' }])
    await harness.put(ada, [{ id: 'a', v: 2 }])
    await harness.take(ada, ['b'])
    await until('everything is delivered', () => receiver.changes().some(({ op }) => op === 'delete'))
    const seqs = receiver.changes().map(({ seq }) => seq)
    assert.deepEqual(
      seqs,
      [...seqs].sort((a, b) => a - b),
    )
    const last = new Map(receiver.changes().map((change) => [change.native_id, change]))
    assert.deepEqual([last.get('a')?.data, last.get('b')?.op], [{ id: 'a', v: 2 }, 'delete'])
    assert.ok(receiver.messages.every((message) => receiver.isSigned(message, made.secret!)))
    assert.ok(!receiver.isSigned({ ...receiver.messages[0]!, body: '{}' }, made.secret!))
    const { secret } = (await app.ask('POST', `/push/${made.id}/rotate-secret`)).body as { secret: string }
    receiver.messages.length = 0
    await harness.put(ada, [{ id: 'c' }])
    await until('c is delivered', () => receiver.changes().length > 0)
    for (const each of [secret, made.secret!]) assert.ok(receiver.isSigned(receiver.messages[0]!, each))
    await app.ask('DELETE', `/push/${made.id}`)
  })

  test('P07 an item changed hundreds of times by eight concurrent writers has its last state, and its seq only grows', async () => {
    const tables = await app.add({ kind: 'postgres', url: theirs.url })
    const hook = await app.add({ kind: 'webhook', url: receiver.url })
    await harness.put(ada, [{ id: 'hot', v: 0 }])
    let v = 0
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let i = 0; i < 40; i += 1) await harness.put(ada, [{ id: 'hot', v: (v += 1) }])
      }),
    )
    for (const each of [tables, hook]) await app.caughtUp(each)
    const [stored] = await harness.sql<{ data: { v: number }; seq: number }>(
      `select i.data, i.seq from item i join profile p on p.shard = i.shard and p.id = i.profile_id where p.account_id = $1`,
      [ada.account.id],
    )
    const [row] = await theirs.sql<{ data: { v: number }; seq: number }>(
      'select data, seq::int as seq from tributary_items',
    )
    assert.deepEqual(row, stored)
    const seqs = receiver.changes().map(({ seq }) => seq)
    assert.ok(seqs.length > 1 && seqs.every((seq, i) => i === 0 || seq > seqs[i - 1]!), String(seqs))
    assert.equal(receiver.changes().at(-1)!.seq, stored!.seq)
    for (const { id } of [tables, hook]) await app.ask('DELETE', `/push/${id}`)
  })

  test('a paused destination gets nothing; after resume nothing is missing', async () => {
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    await harness.put(ada, [{ id: 'a' }])
    await until('a is delivered', async () => (await theirs.live()).join() === 'a')
    // A pause between the row and the note that it was written would leave it behind.
    await until('that is noted', async () => (await app.show(made)).changes_behind === 0)
    assert.equal((await app.ask('POST', `/push/${made.id}/pause`)).body['state'], 'paused')
    await harness.put(ada, [{ id: 'b' }])
    await harness.put(ada, [{ id: 'a', v: 2 }])
    // Another destination shows when the change would have been delivered.
    const witness = await app.add({ kind: 'webhook', url: receiver.url })
    await until('the other destination has it', () => receiver.changes().length >= 2)
    assert.deepEqual(await theirs.live(), ['a'])
    assert.equal((await app.show(made)).changes_behind, 2)
    assert.equal((await app.ask('POST', `/push/${made.id}/run`)).status, 400)
    assert.equal((await app.ask('POST', `/push/${made.id}/resume`)).body['state'], 'active')
    await until('b is delivered', async () => (await theirs.live()).join() === 'a,b')
    await app.ask('DELETE', `/push/${witness.id}`)
  })

  test('a backfill restores changed tables, and a replay delivers again from a seq or a time', async () => {
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    const hook = await app.add({ kind: 'webhook', url: receiver.url })
    await harness.put(ada, [{ id: 'a' }, { id: 'b' }])
    await until('both are delivered', async () => (await theirs.live()).join() === 'a,b')
    await theirs.sql(`update tributary_items set data = '{}', deleted_at = now() where native_id = 'a'`)
    await theirs.sql(`delete from tributary_items where native_id = 'b'`)
    assert.deepEqual((await app.ask('POST', `/push/${made.id}/backfill`)).body, {
      profiles: (await app.show(made)).profiles,
    })
    await until('both are back', async () => (await theirs.live()).join() === 'a,b')
    assert.deepEqual(await theirs.sql(`select data from tributary_items where native_id = 'a'`), [
      { data: { id: 'a' } },
    ])

    await until('the receiver has both', () => receiver.changes().length >= 2)
    harness.pass(600_000)
    const since = harness.clock.now()
    await harness.put(ada, [{ id: 'c' }])
    await harness.put(ada, [{ id: 'a', v: 2 }])
    await harness.take(ada, ['b'])
    await until('the receiver has all', () => receiver.changes().some(({ op }) => op === 'delete'))
    await app.caughtUp(hook)
    const messagesBefore = receiver.messages.length
    const profile = receiver.messages[0]!.data.profile!.id
    const again = async (from: Record<string, unknown>) => {
      receiver.messages.length = 0
      assert.equal((await app.ask('POST', `/push/${hook.id}/replay`, from)).status, 202)
      await app.caughtUp(hook)
      return receiver
        .changes()
        .filter(({ native_id }) => ['a', 'b', 'c'].includes(native_id))
        .map(({ native_id, seq }) => `${native_id}${seq}`)
        .join()
    }
    assert.ok(messagesBefore > 0)
    assert.equal(await again({ since }), 'c3,a4,b5')
    assert.equal(await again({ seq: 4, profile }), 'a4,b5')
    assert.equal(await again({ seq: 99, profile }), '')
    assert.match(await again({}), /c3,a4,b5$/)
    const ids = new Set(receiver.messages.map(({ id }) => id))
    await again({})
    assert.ok(
      receiver.messages.every(({ id }) => !ids.has(id)),
      'asked for again, it is a new message',
    )
    for (const bad of [{ since: 1, seq: 1 }, { seq: -1 }, { since: 'x' }])
      assert.equal((await app.ask('POST', `/push/${hook.id}/replay`, bad)).status, 400)
    assert.equal((await app.ask('POST', `/push/${hook.id}/replay`, { profile: 'nobody' })).status, 404)
    await app.ask('DELETE', `/push/${hook.id}`)
  })

  test('a backfill requested during another one is not lost', async () => {
    await harness.put(
      ada,
      Array.from({ length: 4000 }, (_, i) => ({ id: `n${String(i).padStart(4, '0')}`, text: 'x'.repeat(200) })),
    )
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    await until('some are delivered', async () => (await theirs.live()).length > 0)
    await app.ask('POST', `/push/${made.id}/backfill`)
    await theirs.sql(`delete from tributary_items where native_id <= 'n0100'`)
    await app.ask('POST', `/push/${made.id}/backfill`)
    await until('all are delivered', async () => (await theirs.live()).length === 4000)
    await app.caughtUp(made)
    assert.equal((await theirs.live()).length, 4000)
  })

  test('the delivery history lists attempts, newest first, in pages', async () => {
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    for (const id of ['a', 'b', 'c']) {
      await harness.put(ada, [{ id }])
      await until(`${id} is there`, async () => (await theirs.live()).includes(id))
    }
    const list = async (query: string) =>
      (await app.ask('GET', `/push/${made.id}/deliveries${query}`)).body as unknown as Delivery[]
    const all = await list('')
    assert.deepEqual(
      all
        .filter(({ rows }) => rows > 0)
        .map(({ ok, rows, attempt, last_seq }) => [ok, rows, attempt, last_seq])
        .slice(0, 3),
      [
        [true, 1, 1, 3],
        [true, 1, 1, 2],
        [true, 1, 1, 1],
      ],
    )
    const first = await list('?limit=1')
    assert.deepEqual(first, all.slice(0, 1))
    assert.deepEqual(await list(`?limit=2&before=${first[0]!.id}`), all.slice(1, 3))
    assert.equal((await app.ask('GET', `/push/${made.id}/deliveries?limit=x`)).status, 400)
  })

  test('two accounts with the same item ids have separate rows', async () => {
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    const ben = await app.newPerson()
    await harness.put(ada, [{ id: 'same', who: 'ada' }])
    await harness.put(ben, [{ id: 'same', who: 'ben' }])
    await until('both are delivered', async () => (await theirs.live()).join() === 'same,same')
    await harness.take(ada, ['same'])
    await until('one is left', async () => (await theirs.live()).length === 1)
    assert.deepEqual(await theirs.sql(`select data ->> 'who' as who from tributary_items where deleted_at is null`), [
      { who: 'ben' },
    ])
    await app.caughtUp(made)
  })

  test('profiles of another app are never delivered', async () => {
    const eve = await (await harness.newTenant()).newPerson()
    await harness.put(eve, [{ id: 'hers' }])
    await app.add({ kind: 'postgres', url: theirs.url })
    await harness.put(ada, [{ id: 'mine' }])
    await until('mine is delivered', async () => (await theirs.live()).includes('mine'))
    const accounts = await theirs.sql<{ account_id: string }>('select account_id from tributary_profiles')
    assert.ok(!accounts.some(({ account_id }) => account_id === eve.account.id))
    assert.ok(!(await theirs.live()).includes('hers'))
  })

  test('metrics show lag, rows and states by kind, without app ids', async () => {
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    await harness.put(ada, [{ id: 'a' }])
    await until('a is delivered', async () => (await theirs.live()).includes('a'))
    const text = await (await fetch(`${harness.tributary.url}/metrics`)).text()
    for (const line of [
      /^tributary_push_destinations\{kind="postgres",state="active"\} \d+$/m,
      /^tributary_push_rows_total\{kind="postgres"\} [1-9]\d*$/m,
      /^# TYPE tributary_push_lag_changes gauge$/m,
      /^# TYPE tributary_push_lag_seconds gauge$/m,
      /^# TYPE tributary_push_failures_total counter$/m,
      /^# TYPE tributary_push_dead_letters gauge$/m,
    ])
      assert.match(text, line)
    const push = text.split('\n').filter((line) => line.startsWith('tributary_push'))
    assert.ok(push.every((line) => !line.includes(made.id) && !line.includes(app.clientId)))
  })
})
