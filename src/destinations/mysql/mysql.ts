import { createHash, randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import type * as Driver from 'mysql2'
import type { Connection as Client } from 'mysql2/promise'
import { z } from 'zod'
import { firstOf } from '#platform/formats/list-ends.ts'
import { type ClientPool, createClientPool } from '../client-pool.ts'
import {
  type Connection,
  DeliveryError,
  type DeliveryRecovery,
  type Finding,
  type Kind,
  type KindDeps,
} from '../contract.ts'
import { countRemovals } from '../count-removals.ts'
import { type DatabaseAddress, databaseAddress } from '../database-address.ts'
import { explain, withDeliveryErrors } from '../driver-errors.ts'
import { ca, deletes, storedOptions } from '../options.ts'
import { sharedTables, shortText } from '../test-findings.ts'
import { queryRows } from './query.ts'
import { mysqlSocket } from './socket.ts'
import { FIND_OTHERS, TABLES, VERSIONS, VIEWS } from './tables.ts'
import { compareRows, removeFound } from './verify.ts'
import { erase, writeBatch } from './write-batch.ts'

// Loaded when the first destination of this kind is opened: it takes ten megabytes, and most processes never have one.
const requireModule = createRequire(import.meta.url)
const driver = () => requireModule('mysql2') as typeof Driver

const SCHEMES = ['mysql:', 'mariadb:']
// Errors caused by the row: too long, invalid characters, out of range, violated constraint. A retry would fail again.
const ROW_ERRORS = new Set([
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
  tables: VERSIONS.flat(),
  takesEvents: false,
  takesUnknownDeletes: true,
  checkAddress: (url) => databaseAddress(url, SCHEMES, 3306),
  open: (deps, destination, secrets) => openMysql(deps, destination.id, secrets.url, destination.options),
}

function openMysql(deps: KindDeps, id: string, url: string, stored: Record<string, unknown>): Connection {
  const address = databaseAddress(url, SCHEMES, 3306)
  const { ca, deletes } = storedOptions(options, stored)
  const hardDeletes = deletes === 'hard'
  const pool = createClientPool<Client>({
    open: () => {
      const socket = mysqlSocket(deps, address, ca).connect(address.port, address.host)
      const connection = driver().createConnection({ ...driverOptions(address), stream: socket })
      // The pending statement fails with its own error; this event must not end the process.
      connection.on('error', () => {})
      const ready = new Promise<void>((resolve, reject) =>
        connection.connect((error) => (error === null ? resolve() : reject(error))),
      )
      return { client: connection.promise(), socket, ready }
    },
    // Fails when the server is away; the socket is closed either way.
    end: (client) => void client.end().catch(() => {}),
  })
  const transaction = (work: (client: Client) => Promise<void>) =>
    withDeliveryErrors(recoveryOf, () => inTransaction(pool, work))
  return {
    prepare: () =>
      withDeliveryErrors(recoveryOf, () => withClient(pool, (client) => upgradeTables(client, address.database))),
    test: () => test(pool, id),
    write: (batch) => transaction((client) => writeBatch(client, batch, deps.clock.now(), hardDeletes)),
    erase: (erasure) => transaction((client) => erase(client, erasure, deps.clock.now())),
    verifier: {
      compare: (profileId, range, rows) =>
        withDeliveryErrors(recoveryOf, () => withClient(pool, (client) => compareRows(client, profileId, range, rows))),
      remove: (profileId, rows) => transaction((client) => removeFound(client, profileId, rows)),
    },
    // Without a transaction: each of these statements commits.
    drop: () =>
      countRemovals('of its tables and views', (removed) =>
        withDeliveryErrors(recoveryOf, () =>
          withClient(pool, async (client) => {
            for (const view of VIEWS) await queryRows(client, `drop view if exists ${view}`).then(removed)
            for (const table of TABLES) await queryRows(client, `drop table if exists ${table}`).then(removed)
          }),
        ),
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
    // Otherwise a server may request any file of this machine, or switch the driver to another character set.
    flags: ['-LOCAL_FILES', '-SESSION_TRACK'],
    // Statements are sent as text, and no code is generated from a server's column names, so nothing accumulates per server.
    maxPreparedStatements: 1,
    disableEval: true,
    // The checked socket has the timeouts.
    connectTimeout: 0,
    // The driver does not know that the socket does TLS, where a server may queryRows for the password itself.
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

/** Creates and upgrades the tables, one version after the other, under a named lock: DDL statements commit implicitly here. */
async function upgradeTables(client: Client, database: string): Promise<void> {
  const lock = `tributary_${createHash('sha256').update(database).digest('hex').slice(0, 32)}`
  const [locked] = await queryRows<{ got: number | null }>(client, 'select get_lock(?, 20) as got', [lock])
  if (locked?.got !== 1) throw new DeliveryError('retry', 'Another process is changing the tables.')
  try {
    await queryRows(
      client,
      'create table if not exists tributary_schema (version integer primary key, applied_at datetime(3) not null)',
    )
    const found = firstOf(
      await queryRows<{ version: number; present: number }>(
        client,
        `select (select coalesce(max(version), 0) from tributary_schema) as version,
         (select count(*) from information_schema.tables where table_schema = database() and table_name in (?)) as present`,
        [[...TABLES, ...VIEWS]],
      ),
    )
    // If a table is missing, all statements run again; they keep what exists.
    const isComplete = found.present === TABLES.length + VIEWS.length
    for (let next = isComplete ? found.version : 0; next < VERSIONS.length; next += 1) {
      for (const statement of VERSIONS[next]!) await queryRows(client, statement)
      await queryRows(
        client,
        'insert ignore into tributary_schema (version, applied_at) values (?, utc_timestamp(3))',
        [next + 1],
      )
    }
  } finally {
    // If this fails, the lock ends with the connection.
    await queryRows(client, 'select release_lock(?)', [lock]).catch(() => {})
  }
}

async function test(pool: ClientPool<Client>, id: string): Promise<Finding[]> {
  const findings: Finding[] = []
  try {
    await pool.use(async (client) => {
      const [server] = await queryRows<{ version: unknown }>(client, 'select version() as version')
      const [tls] = await queryRows<{ Value: unknown }>(client, "show session status like 'Ssl_version'")
      const detail = `${shortText(server?.version) ?? 'unknown version'}, ${shortText(tls?.Value) ?? 'without TLS'}`
      findings.push({ check: 'connect', ok: true, detail })
      const others = await tryPrivileges(client, id)
      findings.push({
        check: 'rights',
        ok: true,
        detail: 'may create tables and views and write; nothing was left behind',
      })
      findings.push(...sharedTables(others))
    })
  } catch (error) {
    findings.push({ check: findings.length === 0 ? 'connect' : 'rights', ok: false, detail: explain(error) })
  }
  return findings
}

/** Returns the other destinations that wrote into the same tables. */
async function tryPrivileges(client: Client, id: string): Promise<{ id: unknown }[]> {
  const name = `tributary_test_${randomBytes(4).toString('hex')}`
  try {
    await queryRows(client, `create table ${name} (id integer)`)
    await queryRows(client, `insert into ${name} values (1)`)
    await queryRows(client, `create view ${name}_view as select id from ${name}`)
    await queryRows(client, `drop view ${name}_view`)
    await queryRows(client, `drop table ${name}`)
  } catch (error) {
    // The first failure is reported; without the privilege to create there is often none to drop.
    await queryRows(client, `drop table if exists ${name}`).catch(() => {})
    throw error
  }
  const hasTables = (await queryRows(client, "show tables like 'tributary_checkpoint'")).length > 0
  return hasTables ? await queryRows<{ id: unknown }>(client, FIND_OTHERS, [id]) : []
}

/** Clients whose session settings are done. */
const configured = new WeakSet<Client>()

/** A client that failed is closed: it may have an open transaction, or a response may still arrive. */
function withClient<Result>(pool: ClientPool<Client>, work: (client: Client) => Promise<Result>): Promise<Result> {
  return pool.use(async (client) => {
    if (!configured.has(client)) for (const statement of SESSION) await queryRows(client, statement)
    configured.add(client)
    return work(client)
  })
}

async function inTransaction(pool: ClientPool<Client>, work: (client: Client) => Promise<void>): Promise<void> {
  await withClient(pool, async (client) => {
    await queryRows(client, 'start transaction')
    await work(client)
    await queryRows(client, 'commit')
  })
}

function recoveryOf(error: unknown): DeliveryRecovery {
  // The statement contains personal data, so it is removed from the error.
  if (error instanceof Error && 'sql' in error) delete error.sql
  const number = error instanceof Error && 'errno' in error ? error.errno : undefined
  return typeof number === 'number' && ROW_ERRORS.has(number) ? 'reject' : 'retry'
}
