import { freePort } from '../../../harness/free-port.ts'
import { type ClickhouseServer, clickhouseServerMissing, startClickhouseServer } from './clickhouse-server.ts'
import { openCuttableProxy } from './cuttable-proxy.ts'
import { type Arrived, type Fixture, fresh, type Target } from './fixture.ts'

const closed = await freePort()

/** Started for the first target and stopped after the last. */
let running: Promise<ClickhouseServer> | undefined
let targets = 0

/** ClickHouse, with a database per target. */
export const clickhouseFixture: Fixture = {
  name: 'clickhouse',
  kind: 'clickhouse',
  skip: clickhouseServerMissing,
  fences: true,
  canBeCut: true,
  atomic: false,
  open: openClickhouse,
  wrong: async (target) => {
    const { port, pathname } = new URL(target.url)
    const as = (user: string, password: string) =>
      `clickhouse://${user}:${password}@127.0.0.1:${port}${pathname}?sslmode=disable`
    return [
      { what: 'a wrong password', url: as('writer', 'letmein7'), says: /Wrong password|Authentication failed/ },
      { what: 'no rights', url: as('reader', 'right'), says: /readonly|Not enough privileges/ },
      { what: 'a wrong database', url: target.url.replace(pathname, '/nowhere'), says: /nowhere.* exist/ },
      { what: 'a closed port', url: target.url.replace(`:${port}/`, `:${closed}/`), says: /ECONNREFUSED/ },
      { what: 'no TLS at the server', url: target.url.replace('?sslmode=disable', ''), says: /TLS|closed|ECONNRESET/ },
    ]
  },
}

async function openClickhouse(): Promise<Target> {
  targets += 1
  const server = await (running ??= startClickhouseServer())
  const database = fresh('tributary_test')
  await server.ask(`create database ${database}`)
  const proxy = await openCuttableProxy({ host: '127.0.0.1', port: server.port })
  const rows = async (sql: string) =>
    (await server.ask(`${sql} format JSONEachRow`, database))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  return {
    url: `clickhouse://writer:right@127.0.0.1:${proxy.port}/${database}?sslmode=disable`,
    read: async () => (await rows('select * from tributary_items final')).map(arrived),
    everything: async () =>
      JSON.stringify([
        await rows('select * from tributary_items final order by profile_id, id'),
        await rows('select * from tributary_profiles final order by id'),
        await rows('select profile_id, seq, epoch from tributary_checkpoint final order by profile_id'),
      ]),
    traces: async () =>
      (await rows('select name from system.tables where database = currentDatabase()')).map(({ name }) => String(name)),
    cutAfter: proxy.cutAfter,
    wasCut: proxy.wasCut,
    close: async () => {
      await proxy.close()
      await server.ask(`drop database ${database}`)
      targets -= 1
      if (targets > 0) return
      running = undefined
      await server.stop()
    },
  }
}

function arrived(row: Record<string, unknown>): Arrived {
  const isDeleted = row['deleted_at'] !== null
  return {
    profile: String(row['profile_id']),
    id: String(row['id']),
    seq: Number(row['seq']),
    isDeleted,
    nativeId: String(row['native_id']),
    data: isDeleted ? undefined : String(row['data']),
    types: row['types'] as string[],
    participants: row['participants'] as string[],
  }
}
