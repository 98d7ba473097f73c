import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import { Client } from 'pg'
import { type Connection, DeliveryError } from '#destinations/contract.ts'
import { leastPrivilegeScript as mysqlScript } from '#destinations/mysql/tables.ts'
import { leastPrivilegeScript as postgresScript } from '#destinations/postgres/tables.ts'
import { onServer } from '../../../harness/database/database.ts'
import { makePerson } from './changes.ts'
import { deps, type Fixture, fresh, openTarget, type Target } from './fixture.ts'
import { mysqlFixture } from './mysql-fixture.ts'
import { postgresFixture } from './postgres-fixture.ts'

after(() => deps.close())

type Sql = <Row extends object>(text: string) => Promise<Row[]>

async function speakPostgres(url: string): Promise<{ sql: Sql; end: () => Promise<void> }> {
  const { hostname, port, pathname, username, password } = new URL(url)
  const client = new Client({
    host: hostname,
    port: Number(port),
    database: pathname.slice(1),
    user: username,
    password,
  })
  await client.connect()
  return {
    sql: async <Row extends object>(text: string) => (await client.query<Row>(text)).rows,
    end: () => client.end(),
  }
}

async function speakMysql(url: string): Promise<{ sql: Sql; end: () => Promise<void> }> {
  const { hostname, port, pathname, username, password } = new URL(url)
  const client = await createConnection({
    host: hostname,
    port: Number(port),
    database: pathname.slice(1),
    user: username,
    password,
  })
  return {
    sql: async <Row extends object>(text: string) => (await client.query<RowDataPacket[]>(text))[0] as unknown as Row[],
    end: () => client.end(),
  }
}

for (const [fixture, speak] of [
  [postgresFixture, speakPostgres],
  [mysqlFixture, speakMysql],
] as const)
  suite(`tables in ${fixture.name}`, { skip: fixture.skip }, () => tables(fixture, speak))

function tables(fixture: Fixture, speak: typeof speakPostgres): void {
  let target: Target
  let connection: Connection
  let eyes: { sql: Sql; end: () => Promise<void> }

  before(async () => {
    target = await fixture.open()
    connection = openTarget(fixture, target, undefined).connection
    await connection.prepare()
    eyes = await speak(target.url)
  })
  after(async () => {
    await eyes?.end()
    await connection?.close()
    await target?.close()
  })

  test('have a view per type, without deleted items', async () => {
    const ada = makePerson('dst')
    await connection.write(
      ada.batch([
        ada.put('a', 1),
        ada.put('b', 2, { types: ['statuses', 'photos_feed'], oembed: '{"title":null,"description":"d"}', map: '{}' }),
        ada.put('c', 3, { types: ['statuses'], map: '{"text":"ünï 🐙 \\"x\\""}' }),
        ada.put('d', 4),
        ada.delete('d', 5),
      ]),
    )
    const view = async (name: string) =>
      (
        await eyes.sql<{ native_id: string; title: string | null; text: string | null; account_id: string }>(
          `select native_id, title, text, account_id from tributary_${name} where profile_id = '${ada.profile.id}' order by native_id`,
        )
      ).map(({ native_id, title, text, account_id }) => {
        assert.equal(account_id, ada.profile.account)
        return [native_id, title, text]
      })
    assert.deepEqual(await view('photos'), [['a', 'A photo', 'hello']])
    assert.deepEqual(await view('statuses'), [
      ['b', null, 'd'],
      ['c', 'A photo', 'ünï 🐙 "x"'],
    ])
    assert.deepEqual(
      (await view('photos_feed')).map(([id]) => id),
      ['b'],
    )
    assert.deepEqual(await view('contacts'), [])
  })

  test('have columns for each type, and null for values of another type', async () => {
    const ada = makePerson('dst')
    const starts = Date.UTC(2026, 10, 15, 10, 30)
    const put = (id: string, seq: number, types: string, map: object, oembed: object = {}) =>
      ada.put(id, seq, { types: [types], map: JSON.stringify(map), oembed: JSON.stringify(oembed) })
    await connection.write(
      ada.batch([
        put('a', 1, 'contacts', { name: 'Zoë "Z"', email: 'zoe@x.test', phone: '+1', nickname: 'z' }),
        put('b', 2, 'activities', { sport: 'run', seconds: 3600.5, meters: 10_000, heart_rate: 'fast' }),
        put('c', 3, 'measures', { metric: 'weight', value: 70.25, unit: 'kg' }),
        put('d', 4, 'events', { starts, ends: 'later', place: 'Lisbon' }),
        put('e', 5, 'photos', { image: 'https://x.test/i.jpg' }, { width: 640, height: 480 }),
        put('f', 6, 'files', { path: '/a', mime: 'text/plain', bytes: 5_000_000_000 }),
        put('g', 7, 'messages', { subject: 'Hi', from: 'ada@x.test' }),
      ]),
    )
    const row = async (columns: string, view: string) => {
      const found = await eyes.sql<object>(
        `select ${columns} from tributary_${view} where profile_id = '${ada.profile.id}'`,
      )
      assert.equal(found.length, 1)
      return Object.values(found[0]!).map((value: unknown) => (value instanceof Date ? 'a date' : value))
    }
    assert.deepEqual(await row('name, nickname, email, phone, photo', 'contacts'), [
      'Zoë "Z"',
      'z',
      'zoe@x.test',
      '+1',
      null,
    ])
    assert.deepEqual(await row('sport, seconds, meters, calories, heart_rate', 'activities'), [
      'run',
      3600.5,
      10_000,
      null,
      null,
    ])
    assert.deepEqual(await row('metric, value, unit', 'measures'), ['weight', 70.25, 'kg'])
    const asText =
      fixture.kind === 'mysql'
        ? `date_format(starts, '%Y-%m-%d %H:%i')`
        : `to_char(starts at time zone 'UTC', 'YYYY-MM-DD HH24:MI')`
    assert.deepEqual(await row(`${asText}, ends, place`, 'events'), ['2026-11-15 10:30', null, 'Lisbon'])
    assert.deepEqual(await row('image, width, height', 'photos'), ['https://x.test/i.jpg', 640, 480])
    assert.deepEqual(await row('path, mime, bytes', 'files'), ['/a', 'text/plain', 5_000_000_000])
    assert.deepEqual(await row('subject, from_address', 'messages'), ['Hi', 'ada@x.test'])
  })

  test('have times, coordinates and participants as columns', async () => {
    const ada = makePerson('dst')
    await connection.write(ada.batch([ada.put('a', 1)]))
    const mine = `profile_id = '${ada.profile.id}'`
    const [item] = await eyes.sql<Record<string, unknown>>(
      `select lat, lng, author, ${fixture.kind === 'mysql' ? 'cast(at as char) as at' : "to_char(at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') as at"} from tributary_items where ${mine}`,
    )
    assert.deepEqual({ ...item }, { lat: 52.5, lng: 13.4, author: 'ada@demo', at: '2023-11-14 22:13:20.123' })
    const people = await eyes.sql<{ participant: string; is_author: boolean | number }>(
      `select participant, is_author from tributary_participants where ${mine} order by position`,
    )
    assert.deepEqual(
      people.map((each) => [each.participant, Boolean(each.is_author)]),
      [
        ['ada@demo', true],
        ['bob@demo', false],
      ],
    )
    const [profile] = await eyes.sql<{ name: string }>(
      `select name from tributary_profiles where id = '${ada.profile.id}'`,
    )
    assert.equal(profile!.name, ada.profile.name)
  })

  test('follow the profile: account, name and state', async () => {
    const ada = makePerson('dst')
    await connection.write(ada.batch([ada.put('a', 1)]))
    const profile = { ...ada.profile, account: 'another', name: undefined, state: 'error' }
    await connection.write(ada.batch([], { profile, upTo: 1, from: 1, epoch: 2 }))
    const [found] = await eyes.sql<object>(
      `select account_id, name, state from tributary_profiles where id = '${ada.profile.id}'`,
    )
    assert.deepEqual({ ...found }, { account_id: 'another', name: null, state: 'error' })
  })

  test('P11 are created again when dropped, and the others stay', async () => {
    const ada = makePerson('dst')
    await connection.write(ada.batch([ada.put('a', 1)]))
    await eyes.sql('drop view tributary_photos')
    await eyes.sql('drop table tributary_participants')
    const error = await connection.write(ada.batch([ada.put('b', 2)], { from: 1 })).catch((thrown: unknown) => thrown)
    assert.ok(error instanceof DeliveryError && error.recovery === 'retry')
    assert.match(error.message, /tributary_participants/)
    await connection.prepare()
    await connection.write(ada.batch([ada.put('b', 2)], { from: 1 }))
    const rows = await eyes.sql<{ native_id: string }>(
      `select native_id from tributary_photos where profile_id = '${ada.profile.id}' order by 1`,
    )
    assert.deepEqual(
      rows.map((row) => row.native_id),
      ['a', 'b'],
    )
  })

  test('P11 report what prevents a write, and accept it afterwards', async () => {
    const ada = makePerson('dst')
    await eyes.sql('alter table tributary_items rename to elsewhere')
    const error = await connection.write(ada.batch([ada.put('a', 1)])).catch((thrown: unknown) => thrown)
    assert.ok(error instanceof DeliveryError && error.recovery === 'retry')
    assert.match(error.message, /tributary_items/)
    await eyes.sql('alter table elsewhere rename to tributary_items')
    await connection.write(ada.batch([ada.put('a', 1)]))
    await eyes.sql('create unique index theirs on tributary_items (profile_id, seq)')
    const clash = await connection.write(ada.batch([ada.put('b', 1)])).catch((thrown: unknown) => thrown)
    assert.ok(clash instanceof DeliveryError && clash.recovery === 'reject')
    assert.match(clash.message, /theirs|unique index/)
    assert.ok(!clash.message.includes(ada.profile.id))
    assert.deepEqual(
      (await target.read()).filter(({ profile }) => profile === ada.profile.id).map((each) => [each.nativeId, each.id]),
      [['a', ada.idOf('a')]],
    )
    await eyes.sql(fixture.kind === 'mysql' ? 'drop index theirs on tributary_items' : 'drop index theirs')
    await connection.write(ada.batch([ada.put('b', 2)]))
  })

  test('report other destinations that write there', async () => {
    const ada = makePerson('dst_other')
    await connection.write(ada.batch([ada.put('a', 1)]))
    const findings = await connection.test()
    assert.match(findings.find(({ check }) => check === 'alone')?.detail ?? '', /dst_other.* its own schema/)
    assert.deepEqual(
      findings.filter(({ ok }) => !ok),
      [],
    )
  })

  test('report the version of the server', async () => {
    const versions = await eyes.sql<{ version: number }>('select version from tributary_schema order by version')
    assert.deepEqual(
      versions.map(({ version }) => version),
      [1],
    )
  })

  // PostgreSQL compares rows itself.
  if (fixture.kind === 'mysql')
    test('are compared in chunks, when a page of rows is larger than a response may be', async () => {
      const ada = makePerson('dst')
      const text = 'x'.repeat(1024 * 1024)
      const rows = Array.from({ length: 20 }, (_, i) =>
        ada.put(`large-${i}`, i + 1, { data: JSON.stringify({ i, text }) }),
      )
      for (const row of rows) await connection.write(ada.batch([row]))
      const pages = [...rows].sort((a, b) => (a.id < b.id ? -1 : 1))
      const compare = (span: { after: string; upTo: string | undefined }, those: typeof rows) =>
        connection.verifier!.compare(ada.profile.id, span, those)
      assert.deepEqual(await compare({ after: '', upTo: undefined }, pages), { wrong: [], extra: [] })
      // An extra row is found in any chunk.
      for (const i of [0, 13]) {
        const { id, seq } = pages[i]!
        const found = await compare({ after: '', upTo: undefined }, pages.toSpliced(i, 1))
        assert.deepEqual(found, { wrong: [], extra: [{ id, seq }] })
      }
      await connection.erase({ destinationId: 'dst', profileId: ada.profile.id, epoch: 2 })
    })

  test('can be written by concurrent runs', async () => {
    const people = Array.from({ length: 6 }, () => makePerson('dst'))
    await Promise.all(
      people.map(async (each) => {
        for (let turn = 0; turn < 5; turn += 1) {
          const rows = Array.from({ length: 20 }, (_, i) => each.put(`i${i}`, turn * 20 + i + 1))
          await connection.write(each.batch(rows, { from: turn * 20 }))
        }
      }),
    )
    const all = await target.read()
    for (const each of people) assert.equal(all.filter(({ profile }) => profile === each.profile.id).length, 20)
  })
}

suite('the script for a role with least privileges', () => {
  test('is enough for postgres', async () => {
    const target = await postgresFixture.open()
    const { hostname, port, pathname } = new URL(target.url)
    const root = await speakPostgres(target.url)
    const [role, schema] = [fresh('role'), fresh('schema')]
    const script = postgresScript(schema)
      .replaceAll(/\btributary\b/g, role)
      .replace('choose one', 'chosen')
    await root.sql(script)
    await root.sql('revoke all on schema public from public')
    const url = `postgres://${role}:chosen@${hostname}:${port}${pathname}?sslmode=disable`
    const { connection } = openTarget(postgresFixture, { ...target, url, options: { schema } }, undefined)
    assert.deepEqual(
      (await connection.test()).filter(({ ok }) => !ok),
      [],
    )
    await connection.prepare()
    const ada = makePerson('dst')
    await connection.write(ada.batch([ada.put('a', 1)]))
    assert.equal((await root.sql(`select 1 from ${schema}.tributary_items`)).length, 1)
    await connection.drop()
    await connection.close()
    await root.end()
    await target.close()
    await onServer(`drop role ${role}`)
  })

  test('is enough for mysql', { skip: mysqlFixture.skip }, async () => {
    const target = await mysqlFixture.open()
    const { hostname, port, pathname } = new URL(target.url)
    const root = await speakMysql(target.url)
    const role = fresh('role')
    const script = mysqlScript(pathname.slice(1))
      .replaceAll(/\btributary(?=@)/g, role)
      .replace('choose one', 'chosen')
    // This server has no TLS; the rest of the script is used as it is.
    for (const statement of script
      .replace('require ssl', '')
      .split(';')
      .map((each) => each.trim())
      .filter((each) => each !== ''))
      await root.sql(statement)
    const url = `mysql://${role}:chosen@${hostname}:${port}${pathname}?sslmode=disable`
    const { connection } = openTarget(mysqlFixture, { ...target, url }, undefined)
    assert.deepEqual(
      (await connection.test()).filter(({ ok }) => !ok),
      [],
    )
    await connection.prepare()
    const ada = makePerson('dst')
    await connection.write(ada.batch([ada.put('a', 1)]))
    assert.equal((await root.sql('select 1 from tributary_photos')).length, 1)
    await connection.drop()
    await connection.close()
    await root.sql(`drop user ${role}@'%'`)
    await root.end()
    await target.close()
  })
})

test('a row larger than the max_allowed_packet of MySQL is rejected with that reason', {
  skip: mysqlFixture.skip,
}, async () => {
  const target = await mysqlFixture.open()
  const { connection } = openTarget(mysqlFixture, target, undefined)
  await connection.prepare()
  const ada = makePerson('dst')
  const error = await connection
    .write(ada.batch([ada.put('a', 1, { data: JSON.stringify({ x: 'y'.repeat(17_000_000) }) })]))
    .catch((thrown: unknown) => thrown)
  assert.ok(error instanceof DeliveryError && error.recovery === 'reject')
  assert.match(error.message, /max_allowed_packet/)
  await connection.close()
  await target.close()
})
