import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { createKinds } from '#destinations/kinds.ts'
import { createConnections } from '#flows/push/connections.ts'
import { createEgress } from '#platform/egress/guard.ts'
import { findDestination, openSecrets } from '#store/push/destinations.ts'
import { type ClientDatabase, clientDatabase } from '../../harness/database/client-database.ts'
import { LOOPBACK_RANGES } from '../../harness/loopback.ts'
import type { Person } from '../../harness/person.ts'
import type { Shown } from '../../harness/push.ts'
import { until } from '../../harness/until.ts'
import { type PushHarness, startPushHarness, type Tenant } from './fixture.ts'

suite('restored backups, repeated changes and frozen runs', () => {
  let harness: PushHarness
  let theirs: ClientDatabase
  let app: Tenant
  let ada: Person
  before(async () => {
    harness = await startPushHarness()
  })
  after(() => harness.stop())
  beforeEach(async () => {
    theirs = await clientDatabase()
    app = await harness.newTenant()
    ada = await app.newPerson()
  })
  afterEach(() => theirs.drop())

  const TABLES = ['tributary_items', 'tributary_profiles', 'tributary_participants', 'tributary_checkpoint']
  const backUp = async () => {
    for (const table of TABLES) await theirs.sql(`create table backup_${table} as table ${table}`)
  }
  const restore = async () => {
    for (const table of TABLES) await theirs.sql(`truncate ${table}; insert into ${table} table backup_${table}`)
  }
  const has = (ids: string) => until(`there is ${ids}`, async () => (await theirs.live()).join() === ids)
  const dataOf = async (id: string) =>
    (
      await theirs.sql<{ data: Record<string, unknown> }>('select data from tributary_items where native_id = $1', [id])
    )[0]?.data

  /** Writes into the destination as a run of this release would. */
  const writing = async (made: Shown) => {
    const { database, keyring, clock, log } = harness.tributary.store
    const egress = createEgress({ allowPrivate: LOOPBACK_RANGES })
    const connections = createConnections({ egress, clock, log }, createKinds({ filesDir: undefined }))
    const destination = (await findDestination(database, made.id))!
    const secrets = (await openSecrets(database, keyring, made.id))!
    return {
      use: <Result>(work: Parameters<typeof connections.use<Result>>[2]) => connections.use(destination, secrets, work),
      close: async () => {
        await connections.close()
        await egress.close()
      },
    }
  }

  test('P05 a destination restored from an older backup: delivery continues from its checkpoint', async () => {
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    await harness.put(ada, [{ id: 'a' }, { id: 'b' }, { id: 'x' }])
    await has('a,b,x')
    await app.caughtUp(made)
    await backUp()
    await harness.put(ada, [{ id: 'c' }, { id: 'a', v: 2 }])
    await harness.take(ada, ['b'])
    await has('a,c,x')
    await app.caughtUp(made)
    await restore()
    assert.deepEqual(await theirs.live(), ['a', 'b', 'x'])
    // The next change detects it.
    await harness.put(ada, [{ id: 'd' }])
    await has('a,c,d,x')
    assert.deepEqual(await dataOf('a'), { id: 'a', v: 2 })
    await app.caughtUp(made)
    assert.ok(harness.tributary.logged.some((line) => line.includes('a destination was restored')))
    assert.equal((await app.show(made)).state, 'active')
  })

  test('an emptied destination gets everything again', async () => {
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    await harness.put(ada, [{ id: 'a' }, { id: 'b' }])
    await has('a,b')
    await app.caughtUp(made)
    for (const table of TABLES) await theirs.sql(`truncate ${table}`)
    await harness.put(ada, [{ id: 'c' }])
    await has('a,b,c')
  })

  test('P06 our database restored from an older backup: detected, nothing newer is overwritten, and both sides agree again', async () => {
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    await harness.put(ada, [
      { id: 'a', v: 1 },
      { id: 'b', v: 1 },
    ])
    await has('a,b')
    await app.caughtUp(made)
    const [profile] = await harness.sql<{ shard: number; profile_id: string }>(
      'select shard, profile_id from delivery_cursor where destination_id = $1',
      [made.id],
    )
    const key = [profile!.shard, profile!.profile_id]
    const OURS = ['item', 'item_tombstone', 'profile_sync', 'delivery_cursor']
    for (const table of OURS)
      await harness.sql(
        `create table backup_${table} as select * from ${table} where shard = ${key[0]} and profile_id = '${key[1]}'`,
      )
    // Happens after the backup, so the restore loses it.
    await harness.put(ada, [
      { id: 'a', v: 2 },
      { id: 'c', v: 1 },
    ])
    for (let v = 3; v < 8; v += 1) {
      await harness.put(ada, [{ id: 'b', v }])
      await until(`b ${v} is there`, async () => (await dataOf('b'))?.['v'] === v)
    }
    await app.caughtUp(made)
    const [ahead] = await theirs.sql<{ seq: number; epoch: number }>(
      'select seq::int, epoch::int from tributary_checkpoint',
    )
    await app.ask('POST', `/push/${made.id}/pause`)
    for (const table of OURS) {
      await harness.sql(`delete from ${table} where shard = ${key[0]} and profile_id = '${key[1]}'`)
      await harness.sql(`insert into ${table} select * from backup_${table}`)
      await harness.sql(`drop table backup_${table}`)
    }
    await app.ask('POST', `/push/${made.id}/resume`)
    // Numbers are assigned again: this change gets one that the destination has with other contents.
    await harness.put(ada, [{ id: 'b', v: 100 }])
    await until('the newest is delivered', async () => (await dataOf('b'))?.['v'] === 100)
    assert.deepEqual(await dataOf('a'), { id: 'a', v: 2 }, 'what was newer there stayed')
    await harness.put(ada, [{ id: 'a', v: 2 }, { id: 'c', v: 1 }, { id: 'd' }])
    await has('a,b,c,d')
    await app.caughtUp(made)
    const [now] = await theirs.sql<{ seq: number; epoch: number }>(
      'select seq::int, epoch::int from tributary_checkpoint',
    )
    assert.ok(now!.seq > ahead!.seq && now!.epoch > ahead!.epoch)
    assert.ok(harness.tributary.logged.some((line) => line.includes('a checkpoint is newer than our database')))
    const stored = await harness.sql(
      'select native_id, seq from item where shard = $1 and profile_id = $2 order by native_id',
      key,
    )
    const there = await theirs.sql(
      'select native_id, seq::int as seq from tributary_items where native_id <> $1 order by native_id',
      ['z'],
    )
    assert.deepEqual(
      there.filter(({ native_id }) => native_id === 'b'),
      stored.filter(({ native_id }) => native_id === 'b'),
    )
  })

  test('P18 an erasure after our database was restored reaches the destination', async () => {
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    await harness.put(ada, [{ id: 'a' }])
    await has('a')
    await app.caughtUp(made)
    // As after a restore: the destination has seen runs that our database does not know.
    await theirs.sql('update tributary_checkpoint set epoch = epoch + 1000')
    const headers = { authorization: `Bearer ${ada.token}` }
    const gone = await fetch(`${harness.tributary.url}/profiles`, { method: 'DELETE', headers })
    await gone.body?.cancel()
    await until('it is gone', async () => (await theirs.sql('select 1 from tributary_items')).length === 0)
    await app.caughtUp(made)
    assert.deepEqual(await harness.sql('select 1 from delivery_cursor where destination_id = $1', [made.id]), [])
    assert.equal((await app.show(made)).state, 'active')
  })

  test('P03 a run that was frozen past its lease writes nothing, not even after an erasure', async () => {
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    await harness.put(ada, [{ id: 'a', v: 1 }])
    await has('a')
    await app.caughtUp(made)
    const [cursor] = await harness.sql<{ profile_id: string; epoch: number }>(
      'select profile_id, epoch from delivery_cursor where destination_id = $1',
      [made.id],
    )
    const [row] = await theirs.sql('select * from tributary_items')
    const late = await writing(made)
    const write = (v: number, epoch: number) =>
      late.use((connection) =>
        connection.write({
          destinationId: made.id,
          profile: {
            id: cursor!.profile_id,
            account: ada.account.id,
            service: 'self',
            nativeId: 'x',
            name: undefined,
            handle: undefined,
            state: 'active',
            connectedAt: 0,
          },
          includesProfile: false,
          rows: [
            {
              op: 'put',
              seq: 1,
              id: row!['id'] as string,
              idr: row!['idr'] as string,
              profile: cursor!.profile_id,
              service: 'self',
              endpoint: 'things',
              nativeId: 'a',
              at: 0,
              updatedAt: 0,
              types: [],
              guid: [],
              author: undefined,
              participants: [],
              lat: undefined,
              lng: undefined,
              oembed: '{}',
              map: '{}',
              data: JSON.stringify({ id: 'a', v }),
            },
          ],
          from: 0,
          upTo: 1,
          epoch,
          generation: 0,
        }),
      )
    try {
      await harness.put(ada, [{ id: 'a', v: 2 }])
      await until('v2 is delivered', async () => (await dataOf('a'))?.['v'] === 2)
      await assert.rejects(write(1, cursor!.epoch), { name: 'CheckpointDiffers' })
      assert.deepEqual(await dataOf('a'), { id: 'a', v: 2 })
      // Even with a valid epoch, a lesser seq replaces nothing.
      await write(0, cursor!.epoch + 1)
      assert.deepEqual(await dataOf('a'), { id: 'a', v: 2 })
      const headers = { authorization: `Bearer ${ada.token}` }
      const gone = await fetch(`${harness.tributary.url}/profiles`, { method: 'DELETE', headers })
      await gone.body?.cancel()
      await until('it is gone', async () => (await theirs.sql('select 1 from tributary_items')).length === 0)
      await assert.rejects(write(2, cursor!.epoch + 1), { name: 'CheckpointDiffers' })
      assert.deepEqual(await theirs.sql('select * from tributary_items'), [])
    } finally {
      await late.close()
    }
  })

  test('repeated replays do not change the tables', async () => {
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    await harness.put(
      ada,
      Array.from({ length: 50 }, (_, i) => ({ id: `n${i}`, participants: ['x', 'y'] })),
    )
    await harness.take(ada, ['n7', 'n8'])
    await until('48 are delivered', async () => (await theirs.live()).length === 48)
    await app.caughtUp(made)
    const tables = async () => ({
      items: await theirs.sql('select profile_id, id, data, seq, deleted_at from tributary_items order by id'),
      people: await theirs.sql('select * from tributary_participants order by 1, 2, 3'),
    })
    const first = JSON.stringify(await tables())
    for (let i = 0; i < 4; i += 1) {
      await app.ask(
        'POST',
        `/push/${made.id}/${i % 2 === 0 ? 'backfill' : 'replay'}`,
        i % 2 === 0 ? undefined : { seq: 20 },
      )
      await app.caughtUp(made)
    }
    assert.equal(JSON.stringify(await tables()), first)
  })
})
