import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise'
import { reasonOf } from '#platform/errors.ts'
import { freePort } from '../../../harness/free-port.ts'
import { openCuttableProxy } from './cuttable-proxy.ts'
import { type Fixture, fresh, type Target } from './fixture.ts'

const SERVER = { host: '127.0.0.1', port: 3306, user: 'root' }
const closed = await freePort()
const strangers: string[] = []

async function missing(): Promise<string | false> {
  try {
    await (await createConnection({ ...SERVER, connectTimeout: 3000 })).end()
    return false
  } catch (error) {
    return `no MariaDB or MySQL for root at 127.0.0.1:3306 (${reasonOf(error)})`
  }
}

/** MariaDB or MySQL, with a database per target. */
export const mysqlFixture: Fixture = {
  name: 'mysql',
  kind: 'mysql',
  skip: await missing(),
  fences: true,
  canBeCut: true,
  atomic: true,
  open: openMysql,
  // Longer than the key column.
  poison: (row) => ({ ...row, id: row.id.repeat(5) }),
  namesPoison: true,
  wrong: async (target) => {
    const stranger = fresh('stranger')
    const { hostname, port, pathname } = new URL(target.url)
    await asRoot(async (root) => {
      await root.query(`create user ${stranger}@'%' identified by 'right'`)
      strangers.push(stranger)
      await root.query(`grant select on ${pathname.slice(1)}.* to ${stranger}@'%'`)
    })
    const asStranger = (password: string) =>
      `mysql://${stranger}:${password}@${hostname}:${port}${pathname}?sslmode=disable`
    return [
      { what: 'a wrong password', url: asStranger('letmein7'), says: /ER_ACCESS_DENIED_ERROR/ },
      { what: 'no rights', url: asStranger('right'), says: /ER_TABLEACCESS_DENIED_ERROR|command denied/ },
      { what: 'a wrong database', url: target.url.replace(pathname, '/nowhere'), says: /Unknown database/ },
      { what: 'a closed port', url: target.url.replace(`:${port}/`, `:${closed}/`), says: /ECONNREFUSED/ },
      { what: 'no TLS at the server', url: target.url.replace('?sslmode=disable', ''), says: /secure connection|SSL/ },
    ]
  },
}

async function asRoot(work: (root: Connection) => Promise<unknown>): Promise<void> {
  const root = await createConnection(SERVER)
  try {
    await work(root)
  } finally {
    await root.end()
  }
}

async function openMysql(): Promise<Target> {
  const database = fresh('tributary_test')
  await asRoot((root) => root.query(`create database ${database} character set latin1`))
  const proxy = await openCuttableProxy(SERVER)
  const eyes = await createConnection({ ...SERVER, database, charset: 'utf8mb4_bin' })
  const rows = async <Row extends object>(sql: string) =>
    (await eyes.query<RowDataPacket[]>(sql))[0] as unknown as Row[]
  return {
    url: `mysql://root@127.0.0.1:${proxy.port}/${database}?sslmode=disable`,
    read: async () => {
      const people = await rows<{ profile_id: string; item_id: string; participant: string }>(
        'select * from tributary_participants order by position',
      )
      const items = await rows<Record<string, string | number | null>>('select * from tributary_items')
      return items.map((row) => ({
        profile: String(row['profile_id']),
        id: String(row['id']),
        seq: Number(row['seq']),
        isDeleted: row['deleted_at'] !== null,
        nativeId: String(row['native_id']),
        data: String(row['data']),
        types: JSON.parse(String(row['types'])) as string[],
        participants: people
          .filter((each) => each.profile_id === row['profile_id'] && each.item_id === row['id'])
          .map(({ participant }) => participant),
      }))
    },
    everything: async () =>
      JSON.stringify([
        await rows('select * from tributary_items order by profile_id, id'),
        await rows('select * from tributary_participants order by profile_id, item_id, position'),
        await rows('select * from tributary_profiles order by id'),
        await rows('select profile_id, seq, epoch from tributary_checkpoint order by 1'),
      ]),
    traces: async () => (await rows<object>('show tables')).map((row) => String(Object.values(row)[0])),
    cutAfter: proxy.cutAfter,
    wasCut: proxy.wasCut,
    close: async () => {
      await eyes.end()
      await proxy.close()
      await asRoot(async (root) => {
        await root.query(`drop database ${database}`)
        for (const stranger of strangers.splice(0)) await root.query(`drop user ${stranger}@'%'`)
      })
    },
  }
}
