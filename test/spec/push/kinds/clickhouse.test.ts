import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Connection, DeliveryError } from '#destinations/contract.ts'
import { createKinds } from '#destinations/kinds.ts'
import { until } from '../../../harness/until.ts'
import { plainResponse, startRawHttp } from '../../../hostile/servers/raw-http.ts'
import { makePerson, type Person } from './changes.ts'
import { type ClickhouseServer, clickhouseServerMissing, startClickhouseServer } from './clickhouse-server.ts'
import { deps, destinationOf } from './fixture.ts'

type Row = Record<string, unknown>

after(() => deps.close())

suite('tables in clickhouse', { skip: clickhouseServerMissing }, () => {
  let server: ClickhouseServer
  let connection: Connection
  before(async () => {
    server = await startClickhouseServer()
    connection = await opened()
  })
  after(async () => {
    await connection?.close()
    await server?.stop()
  })

  const opened = async () => {
    const url = `clickhouse://writer:right@127.0.0.1:${server.port}/default?sslmode=disable`
    const made = createKinds({ filesDir: undefined }).clickhouse.open(deps, destinationOf('clickhouse'), { url })
    await made.prepare()
    return made
  }
  const ask = async (sql: string): Promise<Row[]> =>
    (await server.ask(`${sql} format JSONEachRow`))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Row)
  const live = async ({ profile }: Person) =>
    (
      await ask(
        `select native_id, seq from tributary_items final where profile_id = '${profile.id}' and deleted_at is null order by native_id`,
      )
    ).map(({ native_id, seq }) => `${String(native_id)} ${String(seq)}`)

  test('have a view per type with the account, the columns of the type, and no deleted items', async () => {
    const ada = makePerson('dst')
    const starts = Date.UTC(2026, 10, 15, 10, 30)
    const put = (id: string, seq: number, type: string, map: object, oembed: object = {}) =>
      ada.put(id, seq, { types: [type], map: JSON.stringify(map), oembed: JSON.stringify(oembed) })
    const rows = [
      put('a', 1, 'contacts', { name: 'Zoë "Z"', email: 'zoe@x.test', phone: 17, nickname: ['z'] }),
      put('b', 2, 'activities', { sport: 'run', seconds: 3600.5, meters: 10_000, heart_rate: 'fast' }),
      put('c', 3, 'events', { starts, ends: 'later', place: 'Lisbon' }, { title: null, description: 'd' }),
      put('d', 4, 'photos', { image: 'https://x.test/i.jpg', text: 'ünï 🐙' }, { width: 640, height: 480, title: 'T' }),
      put('e', 5, 'photos', {}),
      put('f', 6, 'messages', { subject: 'Hi', from: 'ada@x.test' }),
    ]
    await connection.write(ada.batch(rows, { includesProfile: true }))
    await connection.write(ada.batch([ada.delete('e', 7)], { from: 6 }))
    const view = async (columns: string, name: string) => {
      const found = await ask(
        `select account_id, ${columns} from tributary_${name} where profile_id = '${ada.profile.id}'`,
      )
      assert.deepEqual(
        found.map(({ account_id }) => account_id),
        [ada.profile.account],
      )
      return Object.values(found[0]!).slice(1)
    }
    assert.deepEqual(await view('name, nickname, email, phone, photo', 'contacts'), [
      'Zoë "Z"',
      '["z"]',
      'zoe@x.test',
      '17',
      null,
    ])
    assert.deepEqual(await view('sport, seconds, meters, heart_rate', 'activities'), ['run', 3600.5, 10_000, null])
    assert.deepEqual(await view('toInt64(starts) = 1794738600000, ends, place, title, text', 'events'), [
      1,
      null,
      'Lisbon',
      null,
      'd',
    ])
    assert.equal(starts, 1_794_738_600_000)
    assert.deepEqual(await view('native_id, image, width, height, title, text', 'photos'), [
      'd',
      'https://x.test/i.jpg',
      640,
      480,
      'T',
      'ünï 🐙',
    ])
    assert.deepEqual(await view('subject, from_address, to_addresses', 'messages'), ['Hi', 'ada@x.test', null])
    // The row of a deleted item keeps nothing but its ids.
    const [gone] = await ask(`select * from tributary_items final where native_id = 'e'`)
    assert.deepEqual([gone!['data'], gone!['map'], gone!['participants']], ['', '', []])
    // A merge moves the profile, and with it its items.
    const moved = { ...ada.profile, account: 'acc_other' }
    await connection.write(ada.batch([], { profile: moved, includesProfile: true, epoch: 2, from: 7, upTo: 7 }))
    assert.deepEqual(await ask(`select account_id from tributary_photos where profile_id = '${ada.profile.id}'`), [
      { account_id: 'acc_other' },
    ])
  })

  test('are compared with the store: rows that are missing, altered or extra are found and removed', async () => {
    const ada = makePerson('dst')
    const fractions = { lat: 52.520_006_599_999_99, lng: 8.084_138_288_856_514e-20 }
    const rows = Array.from({ length: 30 }, (_, i) => ada.put(`i${i}`, i + 1, i % 2 === 0 ? fractions : {}))
    const [missing, ...delivered] = rows
    await connection.write(ada.batch(delivered))
    const verifier = connection.verifier!
    const everything = { after: '', upTo: undefined }
    const compare = () => verifier.compare(ada.profile.id, everything, rows)
    assert.deepEqual(await compare(), { wrong: [{ id: missing!.id, seq: undefined }], extra: [] })
    await connection.write(ada.batch([missing!], { from: 1 }))
    assert.deepEqual(await compare(), { wrong: [], extra: [] })
    const altered = ["data = '{}'", `text = 'other'`, 'lat = 1.5', 'at = 1', `participants = ['x']`, 'deleted_at = 5']
    for (const [i, change] of altered.entries()) {
      const name = change.split(' ', 1)[0]!
      await server.ask(
        `insert into tributary_items select ${(await columns())
          .map((each) => (each === name ? change.slice(name.length + 3) : each))
          .join(', ')} from tributary_items final where id = '${rows[i]!.id}' and profile_id = '${ada.profile.id}'`,
      )
    }
    await connection.write(ada.batch([ada.put('extra', 40), ada.put('extra', 41)]))
    const { wrong, extra } = await compare()
    assert.deepEqual(
      wrong.map(({ id }) => id).sort(),
      rows
        .slice(0, altered.length)
        .map(({ id }) => id)
        .sort(),
    )
    assert.deepEqual(extra, [{ id: ada.idOf('extra'), seq: 41 }])
    // Not with an older seq: the row changed since it was found.
    await verifier.remove(ada.profile.id, [{ id: ada.idOf('extra'), seq: 40 }])
    assert.equal((await compare()).extra.length, 1)
    await verifier.remove(ada.profile.id, extra)
    // The same rows again correct what was altered.
    await connection.write(ada.batch(rows, { epoch: 2, generation: 1 }))
    assert.deepEqual(await compare(), { wrong: [], extra: [] })
  })

  const columns = async () =>
    (await ask(`select name from system.columns where database = 'default' and table = 'tributary_items'`)).map(
      ({ name }) => String(name),
    )

  test('R12 a server that is killed in the middle of writes and removals loses nothing that it accepted', async () => {
    const [ada, ben] = [makePerson('dst'), makePerson('dst')]
    await connection.write(ben.batch([ben.put('b', 1)], { includesProfile: true }))
    let [accepted, failed] = [0, 0]
    for (let kills = 0; kills < 3; kills += 1) {
      const progress = { isBack: false }
      const crashing = new Promise<void>((resolve) => {
        setImmediate(() => {
          void server.crash().then(() => {
            progress.isBack = true
            resolve()
          })
        })
      })
      while (!progress.isBack) {
        const rows = Array.from({ length: 20 }, (_, i) => ada.put(`i${i}`, accepted + i + 1))
        try {
          await connection.write(ada.batch(rows, { from: accepted, epoch: kills + 1 }))
          accepted += 20
        } catch (error) {
          assert.ok(error instanceof DeliveryError && error.recovery === 'retry', String(error))
          failed += 1
          await connection.prepare().catch(() => {})
        }
      }
      await crashing
    }
    assert.ok(failed > 0)
    // The run continues from what the server's own checkpoint says, and repeats what it does not know to be stored.
    const rows = Array.from({ length: 20 }, (_, i) => ada.put(`i${i}`, accepted + i + 1))
    await connection.write(ada.batch(rows, { from: accepted, epoch: 9 }))
    assert.deepEqual(await live(ada), rows.map(({ nativeId, seq }) => `${nativeId} ${seq}`).sort())
    const erasing = connection
      .erase({ destinationId: 'dst', profileId: ada.profile.id, epoch: 10 })
      .catch((error: unknown) => assert.ok(error instanceof DeliveryError && error.recovery === 'retry'))
    await server.crash()
    await erasing
    // An attempt waits only for a while; the next one continues, as the delivery does.
    await until(
      'everything is removed',
      () =>
        connection.erase({ destinationId: 'dst', profileId: ada.profile.id, epoch: 11 }).then(
          () => 'removed',
          async (error: unknown) => {
            assert.ok(error instanceof DeliveryError && error.recovery === 'retry', String(error))
            return [error.message, await ask('select * from system.mutations where is_done = 0').catch(String)]
          },
        ),
      (state) => state === 'removed',
    )
    assert.doesNotMatch(JSON.stringify(await ask('select * from tributary_items')), new RegExp(ada.profile.id))
    assert.deepEqual(await live(ben), ['b 1'])
  })

  test('test() names other destinations in the same tables', async () => {
    const ada = makePerson('dst_other')
    await connection.write(ada.batch([ada.put('a', 1)]))
    const findings = await connection.test()
    assert.match(findings.find(({ check }) => check === 'alone')!.detail, /dst_other/)
    assert.ok(findings.every(({ ok }) => ok))
  })
})

test('a row that a constraint of the app refuses is rejected by ClickHouse, and its values are not repeated', async () => {
  const server = await startRawHttp(({ path }) =>
    path.includes('query=insert')
      ? plainResponse(
          500,
          `Code: 469. DB::Exception: Constraint 'short' for table db.tributary_items is violated: 'ada@demo'`,
        )
      : plainResponse(200, '{"data":[],"rows":0}'),
  )
  const url = `clickhouse://u:p@127.0.0.1:${server.port}/db?sslmode=disable`
  const connection = createKinds({ filesDir: undefined }).clickhouse.open(deps, destinationOf('clickhouse'), { url })
  const ada = makePerson('dst')
  await assert.rejects(connection.write(ada.batch([ada.put('a', 1)])), {
    recovery: 'reject',
    message: 'Code 469: Constraint',
  })
  await connection.close()
  await server.stop()
})
