import { createHash, randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import type * as Driver from 'mysql2'
import type { Connection as Client } from 'mysql2/promise'
import { z } from 'zod'
import { firstOf } from '#platform/list-ends.ts'
import { type ClientPool, createClientPool } from '../client-pool.ts'
import {
  type Connection,
  DeliveryError,
  type DeliveryRecovery,
  type Finding,
  type Kind,
  type KindDeps,
} from '../contract.ts'
import { type DatabaseAddress, databaseAddress } from '../database-address.ts'
import { explain, failing } from '../failure.ts'
import { ca, deletes, storedOptions } from '../options.ts'
import { sharing, shown } from '../rows.ts'
import { mysqlSocket } from './checked-socket.ts'
import { ask, erase, writeBatch } from './rows.ts'
import { FIND_OTHERS, TABLES, VERSIONS, VIEWS } from './tables.ts'
import { compareRows, removeFound } from './verify.ts'

// Loaded when the first destination of this kind is opened: most processes never have one, and it takes ten megabytes.
const load = createRequire(import.meta.url)
const driver = () => load('mysql2') as typeof Driver

const SCHEMES = ['mysql:', 'mariadb:']
// Errors that blame the row: too long, wrong characters, out of range, broken constraint. Sent again, it fails again.
const BLAMES_ROW = new Set([
  1048, 1062, 1118, 1153, 1264, 1265, 1292, 1366, 1406, 1411, 1451, 1452, 1690, 3140, 3141, 3819, 4025,
])
const SESSION = [
  "set session sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', session time_zone = '+00:00', session innodb_lock_wait_timeout = 10",
  'set session transaction isolation level read committed',
]

const options = z.strictObject({ ca, deletes })

/** MariaDB 10.6 and newer, MySQL 8 and newer. */
export const mysql: Kind = {
  options,
  takesEvents: false,
  takesUnknownDeletes: true,
  checkAddress: (url) => void databaseAddress(url, SCHEMES, 3306),
  open: (deps, destination, secrets) => openMysql(deps, destination.id, secrets.url, destination.options),
}

function openMysql(deps: KindDeps, id: string, url: string, stored: Record<string, unknown>): Connection {
  const address = databaseAddress(url, SCHEMES, 3306)
  const { ca, deletes } = storedOptions(options, stored)
  const hard = deletes === 'hard'
  const pool = createClientPool<Client>({
    open: () => {
      const line = mysqlSocket(deps, address, ca).connect(address.port, address.host)
      const connection = driver().createConnection({ ...driverOptions(address), stream: line })
      // What was asked fails by itself; an error beside it must not end the process.
      connection.on('error', () => {})
      const ready = new Promise<void>((resolve, reject) =>
        connection.connect((error) => (error === null ? resolve() : reject(error))),
      )
      return { client: connection.promise(), line, ready }
    },
    // A goodbye to a server that is gone; the line is closed either way.
    end: (client) => void client.end().catch(() => {}),
  })
  const transaction = (work: (client: Client) => Promise<void>) => failing(recoveryOf, () => inTransaction(pool, work))
  return {
    prepare: () => failing(recoveryOf, () => withClient(pool, (client) => evolve(client, address.database))),
    test: () => test(pool, id),
    write: (batch) => transaction((client) => writeBatch(client, batch, deps.clock.now(), hard)),
    erase: (erasure) => transaction((client) => erase(client, erasure, deps.clock.now())),
    reading: {
      compare: (profileId, span, rows) =>
        failing(recoveryOf, () => withClient(pool, (client) => compareRows(client, profileId, span, rows))),
      remove: (profileId, rows) => transaction((client) => removeFound(client, profileId, rows)),
    },
    drop: () =>
      failing(recoveryOf, () =>
        withClient(pool, async (client) => {
          for (const view of VIEWS) await ask(client, `drop view if exists ${view}`)
          for (const table of TABLES) await ask(client, `drop table if exists ${table}`)
        }),
      ),
    close: () => pool.close(),
  }
}

function driverOptions({ user, password, database, wantsPlain }: DatabaseAddress): Driver.ConnectionOptions {
  return {
    user,
    password,
    database,
    charset: 'utf8mb4_bin',
    // A server may otherwise ask for any file of this machine, and tell the driver of another character set.
    flags: ['-LOCAL_FILES', '-SESSION_TRACK'],
    // Statements are sent as text, and no code is made from the names of a server's columns: nothing is kept per server.
    maxPreparedStatements: 1,
    disableEval: true,
    // The line has the time limits.
    connectTimeout: 0,
    // The driver does not know that it speaks inside TLS, where a server may ask for the password itself.
    ...(wantsPlain
      ? {}
      : {
          authPlugins: {
            caching_sha2_password: driver().authPlugins.caching_sha2_password({ overrideIsSecure: true }),
            sha256_password: () => () => Buffer.from(`${password}\0`),
          },
        }),
  }
}

/** Tables are made and evolved by us, one version after the other, under a lock of their own; DDL commits by itself here. */
async function evolve(client: Client, database: string): Promise<void> {
  const lock = `tributary_${createHash('sha256').update(database).digest('hex').slice(0, 32)}`
  const [taken] = await ask<{ got: number | null }>(client, 'select get_lock(?, 20) as got', [lock])
  if (taken?.got !== 1) throw new DeliveryError('retry', 'Somebody else is changing the tables.')
  try {
    await ask(
      client,
      'create table if not exists tributary_schema (version integer primary key, applied_at datetime(3) not null)',
    )
    const found = firstOf(
      await ask<{ version: number; there: number }>(
        client,
        `select (select coalesce(max(version), 0) from tributary_schema) as version,
         (select count(*) from information_schema.tables where table_schema = database() and table_name in (?)) as there`,
        [[...TABLES, ...VIEWS]],
      ),
    )
    // Somebody took a table away: each statement may run again, and what is there stays.
    const complete = found.there === TABLES.length + VIEWS.length
    for (let next = complete ? found.version : 0; next < VERSIONS.length; next += 1) {
      for (const statement of VERSIONS[next]!) await ask(client, statement)
      await ask(client, 'insert ignore into tributary_schema (version, applied_at) values (?, utc_timestamp(3))', [
        next + 1,
      ])
    }
  } finally {
    // The lock ends with the connection at the latest.
    await ask(client, 'select release_lock(?)', [lock]).catch(() => {})
  }
}

async function test(pool: ClientPool<Client>, id: string): Promise<Finding[]> {
  const findings: Finding[] = []
  try {
    await pool.use(async (client) => {
      const [server] = await ask<{ version: unknown }>(client, 'select version() as version')
      const [tls] = await ask<{ Value: unknown }>(client, "show session status like 'Ssl_version'")
      const detail = `${shown(server?.version) ?? 'a server without a version'}, ${shown(tls?.Value) ?? 'without TLS'}`
      findings.push({ check: 'connect', ok: true, detail })
      const others = await tryRights(client, id)
      findings.push({
        check: 'rights',
        ok: true,
        detail: 'may create tables and views and write; nothing was left behind',
      })
      findings.push(...sharing(others))
    })
  } catch (error) {
    findings.push({ check: findings.length === 0 ? 'connect' : 'rights', ok: false, detail: explain(error) })
  }
  return findings
}

/** Gives other destinations that wrote into the same tables. */
async function tryRights(client: Client, id: string): Promise<{ id: unknown }[]> {
  const name = `tributary_test_${randomBytes(4).toString('hex')}`
  try {
    await ask(client, `create table ${name} (id integer)`)
    await ask(client, `insert into ${name} values (1)`)
    await ask(client, `create view ${name}_view as select id from ${name}`)
    await ask(client, `drop view ${name}_view`)
    await ask(client, `drop table ${name}`)
  } catch (error) {
    // The first failure is what the test reports; who may not create may not drop either.
    await ask(client, `drop table if exists ${name}`).catch(() => {})
    throw error
  }
  const hasTables = (await ask(client, "show tables like 'tributary_checkpoint'")).length > 0
  return hasTables ? await ask<{ id: unknown }>(client, FIND_OTHERS, [id]) : []
}

const settled = new WeakSet<Client>()

/** A client that failed is closed: half a transaction may be open, or an answer still on its way. */
function withClient<Result>(pool: ClientPool<Client>, work: (client: Client) => Promise<Result>): Promise<Result> {
  return pool.use(async (client) => {
    if (!settled.has(client)) for (const statement of SESSION) await ask(client, statement)
    settled.add(client)
    return work(client)
  })
}

async function inTransaction(pool: ClientPool<Client>, work: (client: Client) => Promise<void>): Promise<void> {
  await withClient(pool, async (client) => {
    await ask(client, 'start transaction')
    await work(client)
    await ask(client, 'commit')
  })
}

function recoveryOf(error: unknown): DeliveryRecovery {
  // The statement holds people's data and must not travel with the error.
  if (error instanceof Error && 'sql' in error) delete error.sql
  const number = error instanceof Error && 'errno' in error ? error.errno : undefined
  return typeof number === 'number' && BLAMES_ROW.has(number) ? 'reject' : 'retry'
}
