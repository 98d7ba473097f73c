import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import { CRASH_POINTS } from '../chaos/crash-points.ts'
import { ASK_ITEMS, ASK_PROFILES, faultsOf, judgeTables, NO_FAULTS, type TableRow } from '../chaos/push-compare.ts'
import { openPushFixture, type PushFixture } from '../chaos/push-kills.ts'
import { seeded } from '../chaos/push-random.ts'
import { createSource } from '../chaos/push-source.ts'
import { type ClientDatabase, clientDatabase } from '../harness/database/client-database.ts'
import { seedOf } from '../harness/effort.ts'
import {
  type ClickhouseServer,
  clickhouseServerMissing,
  startClickhouseServer,
} from '../spec/push/kinds/clickhouse-server.ts'
import type { Target } from '../spec/push/kinds/fixture.ts'
import { mysqlFixture } from '../spec/push/kinds/mysql-fixture.ts'

const SEED = seedOf('SEED')
/**
 * A different selection each time, because every crash costs a start. CRASH_POINTS=99 is the long form: all of them.
 */
const TRIED = Number(process.env['CRASH_POINTS'] ?? 5)

let fixture: PushFixture
let postgres: ClientDatabase
let mysql: Target
let clickhouse: ClickhouseServer | undefined
before(async () => {
  fixture = await openPushFixture()
  postgres = await clientDatabase()
  if (mysqlFixture.skip === false) mysql = await mysqlFixture.open()
  if (clickhouseServerMissing === false) clickhouse = await startClickhouseServer()
})
after(async () => {
  await fixture?.close()
  await postgres?.drop()
  await mysql?.close()
  await clickhouse?.stop()
})

async function askMysql<Row>(sql: string): Promise<Row[]> {
  const { hostname, port, pathname, username } = new URL(mysql.url)
  const client = await createConnection({
    host: hostname,
    port: Number(port),
    user: username,
    database: pathname.slice(1),
  })
  try {
    return (await client.query<RowDataPacket[]>(sql))[0] as Row[]
  } finally {
    await client.end()
  }
}

async function askClickhouse<Row>(sql: string): Promise<Row[]> {
  const text = await clickhouse!.ask(`${sql} format JSONEachRow`)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row)
}

test('P02 P17 a worker crashes at one crash point after another while people are merged and erased: the next worker completes the work', {
  skip: mysqlFixture.skip,
}, async (t) => {
  t.diagnostic(`seed ${SEED}`)
  const random = seeded(SEED)
  const source = await createSource(fixture.deps, random, [fixture.appId], 12)
  await fixture.add({ kind: 'postgres', url: postgres.url })
  await fixture.add({ kind: 'mysql', url: mysql.url })
  if (clickhouse === undefined) t.diagnostic(`without ClickHouse: ${clickhouseServerMissing}`)
  else
    await fixture.add({
      kind: 'clickhouse',
      url: `clickhouse://writer:right@127.0.0.1:${clickhouse.port}/default?sslmode=disable`,
    })
  const points = CRASH_POINTS.map((point) => ({ point, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, TRIED)
  const dies = async (point: string) => {
    const { child, said } = fixture.startWorker(point)
    // A worker that never comes to the point must not hang the test.
    const late = setTimeout(() => child.kill('SIGTERM'), 180_000)
    await once(child, 'exit')
    clearTimeout(late)
    assert.match(said(), new RegExp(`crash point: ${point}`), `seed ${SEED}: the worker did not reach ${point}`)
  }
  for (const { point } of points) {
    await source.changeAll()
    await dies(point)
  }
  fixture.startWorker()
  await fixture.drained()
  const stored = await fixture.stored()
  assert.ok(stored.items.size > 1000 && source.counts.merged >= points.length && source.counts.erased >= points.length)
  const [rows, profiles] = [
    await postgres.sql<TableRow>(ASK_ITEMS(`data ->> 'v'`)),
    await postgres.sql<{ id: string; account_id: string }>(ASK_PROFILES),
  ]
  assert.deepEqual(faultsOf(judgeTables(stored, rows, profiles, 0)), NO_FAULTS, `postgres, seed ${SEED}`)
  const there = judgeTables(
    stored,
    await askMysql<TableRow>(ASK_ITEMS(`json_value(data, '$.v')`)),
    await askMysql<{ id: string; account_id: string }>(ASK_PROFILES),
    0,
  )
  assert.deepEqual(faultsOf(there), NO_FAULTS, `mysql, seed ${SEED}`)
  if (clickhouse === undefined) return
  const columnar = judgeTables(
    stored,
    await askClickhouse<TableRow>(`${ASK_ITEMS(`visitParamExtractInt(data, 'v')`)} final`),
    await askClickhouse<{ id: string; account_id: string }>(`${ASK_PROFILES} final`),
    0,
  )
  assert.deepEqual(faultsOf(columnar), NO_FAULTS, `clickhouse, seed ${SEED}`)
})
