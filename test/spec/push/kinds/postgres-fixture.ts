import { Client } from 'pg'
import { notOnCluster } from '../../../harness/database/cluster.ts'
import { freshDatabase, onServer } from '../../../harness/database/database.ts'
import { freePort } from '../../../harness/free-port.ts'
import { openDatabaseProxy } from './cuttable-proxy.ts'
import { type Arrived, type Fixture, fresh, type Target } from './fixture.ts'

/** The PostgreSQL server of the test run, with a database per target. */
export const postgresFixture: Fixture = {
  name: 'postgres',
  kind: 'postgres',
  skip: false,
  fences: true,
  canBeCut: true,
  atomic: true,
  open: openPostgres,
  // A number with more digits than PostgreSQL supports.
  poison: (row) => ({ ...row, data: '{"n":1e200000}' }),
  wrong: async (target) => {
    const url = (change: (url: URL) => void) => {
      const changed = new URL(target.url)
      change(changed)
      return changed.href
    }
    const { hostname, port, pathname } = new URL(target.url)
    const stranger = fresh('stranger')
    await onServer(`create role ${stranger} login password 'right'`)
    strangers.push(stranger)
    const asStranger = `postgres://${stranger}:PASSWORD@${hostname}:${port}${pathname}?sslmode=disable`
    return [
      {
        what: 'a wrong password',
        url: asStranger.replace('PASSWORD', 'letmein7'),
        says: /28P01 password authentication failed/,
        skip: (await trustsEverybody(asStranger.replace('PASSWORD', 'letmein7'))) && 'this server needs no password',
      },
      { what: 'no rights', url: asStranger.replace('PASSWORD', 'right'), says: /42501 permission denied for schema/ },
      { what: 'a wrong database', url: url((each) => (each.pathname = '/nowhere')), says: /3D000 database "nowhere"/ },
      { what: 'a closed port', url: url((each) => (each.port = String(closed))), says: /ECONNREFUSED/ },
      {
        what: 'no TLS at the server',
        url: url((each) => (each.search = '')),
        says: /does not support SSL/,
        skip: notOnCluster('its extension turned TLS on'),
      },
    ]
  },
}

const closed = await freePort()
const strangers: string[] = []

async function openPostgres(): Promise<Target> {
  const { url, drop } = await freshDatabase()
  const proxy = await openDatabaseProxy(url)
  const eyes = new Client({ connectionString: url })
  eyes.on('error', () => {})
  await eyes.connect()
  const rows = async <Row extends object>(sql: string) => (await eyes.query<Row>(sql)).rows
  return {
    url: proxy.url,
    read: async () => {
      const found = await rows<Arrived & { people: string[] }>(
        `select profile_id as profile, id, seq::integer as seq, deleted_at is not null as "isDeleted", native_id as "nativeId", data::text as data, types,
           array(select participant from tributary_participants p where p.profile_id = i.profile_id and p.item_id = i.id order by position) as participants
         from tributary_items i`,
      )
      return found
    },
    everything: async () =>
      JSON.stringify([
        await rows('select * from tributary_items order by profile_id, id'),
        await rows('select * from tributary_participants order by profile_id, item_id, position'),
        await rows('select * from tributary_profiles order by id'),
        await rows('select profile_id, seq, epoch from tributary_checkpoint order by 1'),
      ]),
    traces: async () =>
      (await rows<{ name: string }>(`select relname as name from pg_class where relname like 'tributary%'`)).map(
        ({ name }) => name,
      ),
    cutAfter: proxy.cutAfter,
    wasCut: proxy.wasCut,
    close: async () => {
      await eyes.end()
      await proxy.close()
      await drop()
      for (const role of strangers.splice(0)) await onServer(`drop role ${role}`)
    },
  }
}

async function trustsEverybody(url: string): Promise<boolean> {
  const { hostname, port, pathname, username, password } = new URL(url)
  const client = new Client({
    host: hostname,
    port: Number(port),
    database: pathname.slice(1),
    user: username,
    password,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
